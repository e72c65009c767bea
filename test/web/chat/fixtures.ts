import type { Approval, Conversation, Message, StreamEvents } from '../../../runtime/chat/schema.ts'
import type { ChatEvent } from '../../../web/pages/chat/state/stream.ts'
import { emptyThread, type Thread } from '../../../web/pages/chat/state/thread.ts'

export const conversation = (changes: Partial<Conversation> = {}): Conversation => ({
  id: 'conv_1',
  title: 'Tea',
  agent_id: 'agent_1',
  project_id: null,
  owner_id: 'user_1',
  shared_with: [],
  kind: 'user',
  mode: 'agent',
  execution_mode: 'approval_required',
  model: null,
  pinned: false,
  archived: false,
  status: 'idle',
  message_count: 0,
  last_message_at: null,
  waiting: null,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
  ...changes,
})

export const message = (id: string, changes: Partial<Message> = {}): Message => ({
  id,
  conversation_id: 'conv_1',
  role: 'assistant',
  content: '',
  parts: [],
  attachments: [],
  model: 'offline',
  provider: 'offline',
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  status: 'complete',
  error: null,
  compacted: false,
  created_at: '2026-03-01T10:00:00.000Z',
  ...changes,
})

export const approval = (changes: Partial<Approval> = {}): Approval => ({
  id: 'apr_1',
  conversation_id: 'conv_1',
  run_ref: 'msg_2',
  tool: 'shell',
  summary: 'Run ls',
  agent_reason: null,
  input: { command: 'ls' },
  input_text: 'command: ls',
  risk: 'high',
  question: null,
  status: 'pending',
  requested_at: '2026-03-01T10:00:00.000Z',
  expires_at: '2026-03-01T10:30:00.000Z',
  resolved_at: null,
  resolved_by: null,
  permission_id: null,
  ...changes,
})

export const thread = (changes: Partial<Thread> = {}): Thread => ({
  ...emptyThread,
  conversation: conversation(),
  ...changes,
})

/** An event as the daemon numbers it: `<message>.<epoch>.<number>`. */
export const event = <Name extends keyof StreamEvents>(
  number: number,
  name: Name,
  data: StreamEvents[Name],
  log = 'msg_2.a',
) => ({ id: `${log}.${number}`, event: name, data }) as ChatEvent

export const start = (number = 1, log = 'msg_2.a') =>
  event(
    number,
    'message_start',
    { conversation_id: 'conv_1', message_id: 'msg_2', model: 'offline', provider: 'offline' },
    log,
  )
