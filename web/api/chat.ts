import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Approval, Conversation } from '../../runtime/chat/schema.ts'
import type { Api, Query } from './client.ts'

export type { Approval, Conversation }

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

export const pendingApprovalsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['approvals', 'pending'],
    queryFn: ({ signal }) =>
      api.get<{ approvals: Approval[] }>('/api/chat/approvals', { status: 'pending' }, signal),
  })
