import { z } from 'zod'
import { SharedWith } from '../auth/sharing.ts'
import { reference } from '../references.ts'
import { ExecutionMode, Mode, Risk } from '../tools/modes.ts'
import { ToolQuestion } from '../tools/question.ts'
import { Wait } from '../work/schema.ts'

export const ConversationKind = z.enum(['user', 'scheduled', 'internal', 'channel', 'loop'])
export type ConversationKind = z.infer<typeof ConversationKind>

export const ConversationStatus = z.enum(['idle', 'running', 'waiting_approval'])

export const Conversation = z.object({
  id: z.string(),
  owner_id: z.string(),
  /** Ids of the users who may read and write in it besides its owner, or `everyone`. */
  shared_with: z.array(z.string()),
  title: z.string(),
  agent_id: z.string().nullable(),
  project_id: z.string().nullable(),
  kind: ConversationKind,
  mode: Mode,
  execution_mode: ExecutionMode,
  /** `provider/model`, or null for the agent's own. */
  model: z.string().nullable(),
  pinned: z.boolean(),
  archived: z.boolean(),
  status: ConversationStatus,
  waiting: Wait.nullable().meta({
    description: 'Why its current turn waits for the provider, and until when; null if it does not',
  }),
  message_count: z.int(),
  last_message_at: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Conversation = z.infer<typeof Conversation>

const title = z.string().trim().min(1).max(200)
const modelName = reference('model', 264).min(1).nullable()

export const NewConversation = z.object({
  title: title.optional(),
  agent_id: reference('agent').optional(),
  project_id: reference('own_project').nullable().default(null),
  mode: Mode.default('agent'),
  execution_mode: ExecutionMode.optional(),
  model: modelName.default(null),
})
export type NewConversation = z.output<typeof NewConversation>

export const ConversationChanges = z
  .object({
    title,
    agent_id: reference('agent'),
    model: modelName,
    pinned: z.boolean(),
    archived: z.boolean(),
    shared_with: SharedWith,
  })
  .partial()
export type ConversationChanges = z.infer<typeof ConversationChanges>

/**
 * A tool call goes `proposed` → (`waiting` →) `started` → `done`, or ends `denied` (by a rule or a
 * person), `expired` (nobody answered in time) or `unknown`.
 * `started` is stored before the tool runs, so after a crash it is known that it may have taken effect:
 * `unknown`.
 */
export const ToolUseState = z.enum(['proposed', 'waiting', 'started', 'done', 'denied', 'expired', 'unknown'])
export type ToolUseState = z.infer<typeof ToolUseState>

/** Data that the vendor of a part expects back with it. */
const VendorData = z.record(z.string(), z.record(z.string(), z.unknown()))

export const ToolUsePart = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  tool: z.string(),
  input: z.unknown(),
  summary: z.string(),
  state: ToolUseState,
  /** The permission that allowed it. */
  permission_id: z.string().optional(),
  vendor_data: VendorData.optional(),
})
export type ToolUsePart = z.infer<typeof ToolUsePart>

/** A file that a person attached or a tool showed, as it was then; it may have been deleted since. */
export const FilePart = z.object({
  type: z.literal('file'),
  file_id: z.string(),
  name: z.string(),
  mime_type: z.string(),
  size_bytes: z.int(),
})
export type FilePart = z.infer<typeof FilePart>

/** How a call ended. `unknown`: the daemon stopped while it ran. */
export const ToolResultState = z.enum(['done', 'error', 'denied', 'expired', 'unknown'])
export type ToolResultState = z.infer<typeof ToolResultState>

/** A tool that the code of a call has called. */
export const InnerCall = z.object({
  tool: z.string(),
  summary: z.string(),
  state: z.enum(['done', 'error', 'denied']),
  duration_ms: z.int(),
})
export type InnerCall = z.infer<typeof InnerCall>

export const ToolResultPart = z.object({
  type: z.literal('tool_result'),
  id: z.string(),
  tool: z.string(),
  output: z.unknown(),
  is_error: z.boolean(),
  state: ToolResultState.optional(),
  /** The output came from outside (a page, a channel), so nothing in it is an instruction. */
  untrusted: z.boolean().default(false),
  duration_ms: z.int(),
  /** Pictures for the model. */
  files: z.array(FilePart).optional(),
  /** Oldest first. */
  calls: z.array(InnerCall).optional(),
})
export type ToolResultPart = z.infer<typeof ToolResultPart>

/**
 * The memories in the prompt of an answer, best first. Only their ids, so that a forgotten memory leaves no
 * copy. `used` is null until the answer has ended.
 */
export const RecallPart = z.object({
  type: z.literal('recall'),
  episodes: z.array(z.object({ id: z.string(), score: z.number(), used: z.boolean().nullable() })),
})
export type RecallPart = z.infer<typeof RecallPart>

/** What the daemon told the model before what follows: the time, and what it may do. Kept as sent: vendors cache the prompt. */
export const NotePart = z.object({ type: z.literal('note'), text: z.string(), at: z.string() })
export type NotePart = z.infer<typeof NotePart>

export const Part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string(), vendor_data: VendorData.optional() }),
  ToolUsePart,
  ToolResultPart,
  FilePart,
  /** A message that a person sent while this answer was streaming. */
  z.object({
    type: z.literal('steer'),
    message_id: z.string(),
    text: z.string(),
    files: z.array(FilePart).optional(),
  }),
  z.object({
    type: z.literal('approval'),
    approval_id: z.string(),
    call_id: z.string(),
    /** The call asks while it runs. */
    question: z.literal(true).optional(),
  }),
  RecallPart,
  NotePart,
])
export type Part = z.infer<typeof Part>

export const StreamErrorCode = z.enum([
  'rate_limit',
  'overloaded',
  'auth',
  'billing',
  'model_not_found',
  'context_overflow',
  'content_filter',
  'timeout',
  'cancelled',
  'interrupted',
  'budget_exceeded',
  'provider_unavailable',
  'invalid_request',
  'tool_error',
  'loop_detected',
  'internal_error',
])
export type StreamErrorCode = z.infer<typeof StreamErrorCode>

export const MessageError = z.object({
  code: StreamErrorCode,
  message: z.string(),
  limit: z.enum(['steps', 'time', 'money', 'length']).optional().meta({
    description: 'The limit that stopped the answer; the next message continues it',
  }),
})
export type MessageError = z.infer<typeof MessageError>

export const MessageStatus = z.enum(['streaming', 'complete', 'interrupted', 'error'])

export const Message = z.object({
  id: z.string(),
  conversation_id: z.string(),
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: z.string(),
  parts: z.array(Part),
  attachments: z.array(z.string()),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  status: MessageStatus,
  error: MessageError.nullable(),
  compacted: z.boolean(),
  created_at: z.string(),
})
export type Message = z.infer<typeof Message>

export const ApprovalStatus = z.enum(['pending', 'approved', 'rejected', 'expired', 'cancelled'])

export const Approval = z.object({
  id: z.string(),
  conversation_id: z.string(),
  /** The message whose turn waits for this approval. */
  run_ref: z.string(),
  tool: z.string(),
  summary: z.string(),
  agent_reason: z.string().nullable().meta({
    description: 'What the agent wrote before the call, on one line and untrusted; null if it wrote nothing',
  }),
  input: z.unknown(),
  input_text: z.string().meta({
    description: 'The whole input for people, one line for each field; hidden characters are written out',
  }),
  risk: Risk,
  question: ToolQuestion.nullable().meta({
    description: 'What the tool asks while it runs; null if it has not run and must be approved',
  }),
  status: ApprovalStatus,
  requested_at: z.string(),
  expires_at: z.string(),
  resolved_at: z.string().nullable(),
  resolved_by: z.string().nullable(),
  permission_id: z.string().nullable().meta({ description: 'The permission that allowed it without asking anyone' }),
})
export type Approval = z.infer<typeof Approval>

/** What an approval would change in a text file now, or why there is nothing to compare. */
export const ApprovalChange = z.object({
  path: z.string().nullable(),
  before: z.string().nullable().meta({ description: 'Null if the file does not exist yet' }),
  after: z.string().nullable().meta({ description: 'Null if there is nothing to compare' }),
  note: z.string().nullable(),
})
export type ApprovalChange = z.infer<typeof ApprovalChange>

export const ApprovalResponse = z.object({
  approval_id: reference('approval'),
  approved: z.boolean(),
  /** Makes a permission for the tool in this conversation. */
  remember: z.boolean().default(false),
  reason: z.string().max(2_000).optional(),
  edited_input: z.record(z.string(), z.unknown()).optional().meta({
    description: 'Replaces the input; for a question, its answer',
  }),
  dismissed: z.boolean().default(false).meta({
    description: 'Closes a question without an answer, which is less than to decline it',
  }),
})
export type ApprovalResponse = z.output<typeof ApprovalResponse>

export const permissionDigestKind = 'chat.permission_digest'

export const WhenBusy = z.enum(['queue', 'steer', 'interrupt', 'reject'])

/** Bytes of one chat message. */
export const messageLimit = 200 * 1024

const attachments = z.array(reference('file')).max(20).default([])

export const StreamRequest = z.object({
  message: z.string().refine((text) => text.trim() !== '', 'must not be empty'),
  conversation_id: reference('conversation').optional(),
  agent_id: reference('agent').optional(),
  /** `provider/model`; pins the model of this message. */
  model: reference('model', 264).min(1).optional(),
  /** Ids of uploaded files. */
  attachments,
  when_busy: WhenBusy.default('queue'),
  /**
   * A message of the person that this one replaces; it and everything after it are removed in the same
   * commit.
   */
  replaces: z.string().optional(),
})
export type StreamRequest = z.output<typeof StreamRequest>

export const InjectRequest = z.object({
  conversation_id: reference('conversation'),
  role: z.enum(['user', 'assistant', 'system']),
  content: z.string().min(1).max(messageLimit),
  attachments,
})

export const TruncateRequest = z
  .object({
    conversation_id: reference('conversation'),
    after_message_id: reference('message').optional(),
    keep_last: z.int().min(0).optional(),
  })
  .refine(
    (body) => (body.after_message_id === undefined) !== (body.keep_last === undefined),
    'give either after_message_id or keep_last',
  )

/** `data` of each event of a chat stream, by the name of the event. */
export const StreamEvents = {
  message_start: z.object({
    conversation_id: z.string(),
    message_id: z.string(),
    model: z.string(),
    provider: z.string(),
  }),
  token: z.object({ content: z.string() }),
  reasoning: z.object({ content: z.string() }),
  /**
   * Memories in the prompt: sent before the first token, and again at the end with the ones that were used.
   */
  recall: RecallPart.pick({ episodes: true }),
  tool_use: z.object({ id: z.string(), tool: z.string(), input: z.unknown(), summary: z.string() }),
  tool_result: ToolResultPart.omit({ type: true }).extend({
    state: ToolResultState,
    untrusted: z.boolean().optional(),
  }),
  /** `call_id` is the `id` of the `tool_use` that waits for approval. */
  approval_required: z.object({ approval: Approval, call_id: z.string() }),
  approval_resolved: z.object({ approval: Approval }),
  fallback: z.object({ from: z.string(), to: z.string(), reason: z.string() }),
  /** The same model is called again after a wait. Stopping the turn ends the wait. */
  retry: z.object({
    model: z.string(),
    reason: z.string(),
    seconds: z.number(),
    asked: z.boolean().meta({ description: 'The provider asked for this wait' }),
  }),
  /** A message sent meanwhile became part of this turn; the stream of that message ends with `done`. */
  steered: z.object({ message_id: z.string(), text: z.string(), files: z.array(FilePart).optional() }),
  compaction: z.object({ before_tokens: z.int(), after_tokens: z.int() }),
  done: z.object({
    message_id: z.string(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    total_tokens: z.int(),
  }),
  error: MessageError,
}
export type StreamEvents = { [Name in keyof typeof StreamEvents]: z.output<(typeof StreamEvents)[Name]> }

/** One event of a chat stream. */
export type StreamEvent = {
  [Name in keyof StreamEvents]: { event: Name; data: StreamEvents[Name] }
}[keyof StreamEvents]

/** Minutes; a week. */
export const maxDelay = 10_080

/** The number of open check-ins that one conversation may have. */
export const maxOpenCheckIns = 5

/**
 * A promise of the agent to come back. `pending` is armed; `delivering` is due and waits for the conversation
 * to be idle. `source` says who armed it: the agent, hearthd for an agent that said it would wait
 * (`fallback`), or hearthd after a restart (`system`).
 */
export const CheckIn = z.object({
  check_in_id: z.string(),
  agent_id: z.string(),
  due_at: z.string(),
  delay_minutes: z.int(),
  waiting_on: z.string(),
  estimate_basis: z.string(),
  status: z.enum(['pending', 'delivering']),
  source: z.enum(['agent', 'fallback', 'system']),
  sequence: z.int(),
})
export type CheckIn = z.infer<typeof CheckIn>

export const NewCheckIn = z.object({
  delay_minutes: z.int().min(1).max(maxDelay).meta({ description: 'Minutes from now' }),
  waiting_on: z.string().trim().min(1).max(1_000).meta({ description: 'What you wait for' }),
  estimate_basis: z.string().trim().min(1).max(1_000).meta({ description: 'Why it should take that long' }),
})
export type NewCheckIn = z.infer<typeof NewCheckIn>

/** The kind of work that expires an approval. Its subject is the approval. */
export const approvalExpiryKind = 'chat.approval_expiry'

/**
 * The kind of work that generates one answer. Its subject is the answer's message, its lane the conversation.
 */
export const turnKind = 'chat.turn'

/** The kind of work that finds a title. Its subject is the conversation. */
export const titleKind = 'chat.title'

/** The kind of work that delivers a check-in when it is due. Its subject is the check-in. */
export const checkInKind = 'chat.check_in'

/** The answer that has delegated a turn, and the tools that it may use; part of its work's payload. */
export interface DelegatedBy {
  message_id: string
  call_id: string
  tools?: string[]
}
