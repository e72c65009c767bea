import type { InputOf } from './client.ts'

export type ApprovalAnswer = InputOf<'POST', '/api/chat/conversations/{id}/approval-response'>['body']

/** Pending approvals in all conversations. */
export const pendingApprovals = { query: { status: 'pending', limit: 200 } } as const
