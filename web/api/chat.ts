import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Approval, Conversation } from '../../runtime/chat/schema.ts'
import type { Api, Query } from './client.ts'

export type { Approval, Conversation }

export interface ApprovalAnswer {
  approval_id: string
  approved: boolean
  /** Allows the tool for the rest of the conversation. */
  remember?: boolean
  reason?: string
  edited_input?: Record<string, unknown>
}

export interface ApprovalPage {
  approvals: Approval[]
  total: number
  limit: number
  offset: number
}

export interface ConversationPage {
  conversations: Conversation[]
  total: number
  limit: number
  offset: number
}

/** `query`: limit, offset, search, agent_id, project_id, kind, archived. */
export const conversationsQuery = (api: Api, query: Query = {}) =>
  queryOptions({
    queryKey: ['conversations', 'list', query],
    queryFn: ({ signal }) => api.get<ConversationPage>('/api/chat/conversations', query, signal),
    placeholderData: keepPreviousData,
  })

/** `query`: status, conversation_id, limit, offset. The latest first. */
export const approvalsQuery = (api: Api, query: Query) =>
  queryOptions({
    queryKey: ['approvals', 'list', query],
    queryFn: ({ signal }) => api.get<ApprovalPage>('/api/chat/approvals', query, signal),
  })

export const pendingApprovalsQuery = (api: Api) => approvalsQuery(api, { status: 'pending', limit: 200 })

export const answerApproval = (api: Api, conversation: string, answer: ApprovalAnswer) =>
  api.post<{ approval: Approval }>(`/api/chat/conversations/${conversation}/approval-response`, answer)
