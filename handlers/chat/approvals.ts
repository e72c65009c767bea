import { z } from 'zod'
import { listApprovals } from '../../runtime/chat/approval-store.ts'
import { answerApproval, changeOfApproval } from '../../runtime/chat/approvals.ts'
import { requireOwnConversation } from '../../runtime/chat/conversations.ts'
import { Approval, ApprovalChange, ApprovalResponse, ApprovalStatus } from '../../runtime/chat/schema.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'

export const list = listing({
  path: '/api/chat/approvals',
  summary: 'List approvals, the latest first',
  items: 'approvals',
  item: Approval,
  query: pageQuery().extend({ status: ApprovalStatus.optional(), conversation_id: z.string().optional() }),
  rows: listApprovals,
})

export const change = endpoint('GET /api/chat/approvals/{id}/change', {
  summary: 'Get the change that an action would make to a file',
  returns: ApprovalChange,
  run: ({ params }, context) => changeOfApproval(context, params.id),
})

export const respond = endpoint('POST /api/chat/conversations/{id}/approval-response', {
  summary: 'Approve or reject a pending action',
  access: 'approve',
  body: ApprovalResponse,
  returns: z.object({ approval: Approval }),
  async run({ params, body }, context) {
    await requireOwnConversation(context, params.id)
    return { approval: await answerApproval(context, params.id, body) }
  },
})
