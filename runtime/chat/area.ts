import { defineArea } from '../area.ts'

export const chatArea = defineArea({
  name: 'chat',
  references: {
    conversation: async (context, id) =>
      (await (await import('./conversation-store.ts')).findShownConversation(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).chatEvents,
  runs: async (context, filter) => (await import('./conversation-store.ts')).summarizeRuns(context, filter),
  waiting: async (context) => (await import('./approval-store.ts')).waitingApprovals(context),
  tables: [
    'conversations',
    'conversation_links',
    'messages',
    'approvals',
    'permissions',
    'check_ins',
    'message_rows',
    'message_words',
    'message_pieces',
    'message_piece_terms',
  ],
  owned_tables: ['conversations', 'conversation_links', 'message_rows', 'permissions'],
  work: {
    'chat.approval_expiry': async () => (await import('./approvals.ts')).approvalExpiry,
    'chat.permission_digest': async () => (await import('./permission-digest.ts')).permissionDigest,
    'chat.check_in': async () => (await import('./check-in-delivery.ts')).checkInDelivery,
    'chat.title': async () => (await import('./title-work.ts')).chatTitle,
    'chat.turn': async () => (await import('./turns.ts')).chatTurn,
  },
  tools: async () => [
    (await import('./check-in-tool.ts')).armCheckInTool,
    (await import('./delegate-tool.ts')).delegate,
    (await import('./files-tool.ts')).files,
  ],
})
