import { z } from 'zod'
import { listApprovals } from '../../runtime/chat/approval-store.ts'
import { answerApproval, changeOfApproval } from '../../runtime/chat/approvals.ts'
import { requireOwnConversation } from '../../runtime/chat/conversations.ts'
import { Approval, ApprovalChange, ApprovalResponse, ApprovalStatus } from '../../runtime/chat/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/chat/approvals',
  summary: 'List approvals, the latest first',
  query: pageQuery().extend({ status: ApprovalStatus.optional(), conversation_id: z.string().optional() }),
  returns: listOf('approvals', Approval),
  async run({ query }, context) {
    const { limit, offset } = query
    return { ...(await listApprovals(context, query)), limit, offset }
  },
})

export const change = endpoint({
  method: 'GET',
  path: '/api/chat/approvals/{id}/change',
  summary: 'Read what an action would change in a file',
  returns: ApprovalChange,
  run: ({ params }, context) => changeOfApproval(context, params.id),
})

export const respond = endpoint({
  method: 'POST',
  path: '/api/chat/conversations/{id}/approval-response',
  summary: 'Approve or reject a pending action',
  access: 'approve',
  body: ApprovalResponse,
  returns: z.object({ approval: Approval }),
  async run({ params, body }, context) {
    await requireOwnConversation(context, params.id)
    return { approval: await answerApproval(context, params.id, body) }
  },
})
