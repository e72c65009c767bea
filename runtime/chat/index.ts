/** The door of chat: what its neighbours may use. */

// The text of an answer's parts.
export { textOf } from './answer.ts'
// Approvals as rows, and as callers see them.
export { approvalsOfTurn, findApproval, listApprovals, publicApproval } from './approval-store.ts'
// A person's answer to an approval request.
export { answerApproval } from './approvals.ts'
// Undoing what the latest answer has changed in files.
export { undoLatest } from './changes.ts'
// Drops the check-ins that were armed for a conversation.
export { forgetArmed } from './check-in-store.ts'
// Conversations as rows, and statements for the commits of those who keep them.
export {
  conversationsWithPersons,
  findConversation,
  findConversations,
  findOwnConversation,
  findShownConversation,
  guardPresent,
  insertConversation,
  recountMessages,
  refreshStatus,
  type StoredConversation,
  taintConversation,
  updateConversation,
} from './conversation-store.ts'
// Conversations by their rules: drafting, creating, and the event of a new one.
export { addConversation, createdEvent, draftConversation, requireConversation } from './conversations.ts'
// Attachments as tools name them.
export { attachmentScheme, requireAttachment } from './files-tool.ts'
// A tool call's whole input as text for a person.
export { inputText } from './input-text.ts'
// Following a running answer.
export { attachToAnswer, followTurn } from './live.ts'
// Messages as rows, and statements for the commits of those who write them.
export {
  allMessages,
  countChats,
  countUserMessagesBefore,
  draft,
  findAskedBefore,
  findMessage,
  historyBefore,
  insertGoal,
  insertMessage,
  insertTyped,
  isAttachedForCaller,
  listMessages,
  messagesInContext,
  statsOfAgent,
  userMessageTimes,
  withFiles,
} from './message-store.ts'
// Adding a message that nobody answers.
export { injectMessage } from './messages.ts'
// A note of the daemon in a conversation.
export { note } from './note.ts'
// What agents may start on their own, and the hours in which they stay quiet.
export { proactiveSettings, quietUntil } from './proactive.ts'
// What a turn did: its calls, their outcomes, and what it changed.
export {
  type CallOutcome,
  callsIn,
  changesIn,
  describeCalls,
  doneBefore,
  offlineDid,
  permanentErrors,
  questionIn,
} from './run-report.ts'
// The wire format of conversations, messages and approvals.
export {
  type Approval,
  type FilePart,
  type Message,
  messageLimit,
  NewConversation,
  type Part,
  type RecallPart,
  type StreamEvents,
  StreamRequest,
  turnKind,
} from './schema.ts'
// Sending a message: the turn that it starts, or the one that it joins.
export { newTurn, passMessage, sendMessage } from './send.ts'
// A title from the first words of a message.
export { titleFrom } from './title.ts'
// The beginning of a turn, for which memories are looked up.
export type { TurnStart } from './turn/memory.ts'
// A memory as a prompt shows it.
export type { Recalled } from './turn/recalled.ts'
// A running turn, for what contributes to it.
export { type Turn, tell } from './turn/state.ts'
// Stopping turns and waiting for them.
export { stopTurn, stopTurns, waitedFor } from './turns.ts'
