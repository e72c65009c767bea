import { firstAdministrator } from '../../runtime/auth/user-store.ts'
import { insertConversation, recountMessages } from '../../runtime/chat/conversation-store.ts'
import { insertMessage } from '../../runtime/chat/message-store.ts'
import { Conversation, type Message } from '../../runtime/chat/schema.ts'
import type { Host } from '../../runtime/host.ts'
import { newId } from '../../runtime/id.ts'
import { iso, minute } from '../../runtime/time.ts'

const perWrite = 500

const answer = (number: number) => `### Answer ${number}

The **kettle** is on, and \`tea\` follows in five minutes; see [the manual](https://example.com/${number}).

- one thing that matters
- another thing, with *stress*

\`\`\`ts
export function brew(cups: number): string {
  return cups > ${number} ? 'a pot' : \`\${cups} cups\`
}
\`\`\`

| leaf | minutes |
|---|---|
| green | 2 |
| black | 4 |`

/** A conversation of `count` messages, a person and an agent in turn, stored as chats of earlier days would be. */
export async function seedConversation(
  host: Host,
  { title, count }: { title: string; count: number },
): Promise<{ id: string; messages: string[] }> {
  const now = host.clock.now()
  const begun = now - count * minute
  const id = newId('conv', now)
  const conversation = Conversation.parse({
    ...empty,
    id,
    title,
    created_at: iso(begun),
    updated_at: iso(now),
  })
  const owner_id = (await firstAdministrator(host)) ?? ''
  await host.sql.write([insertConversation({ ...conversation, owner_id, tainted: false })])
  const messages: string[] = []
  for (let from = 0; from < count; from += perWrite) {
    const numbers = Array.from({ length: Math.min(perWrite, count - from) }, (_, index) => from + index)
    const page = numbers.map((number) => messageOf(id, number, begun + number * minute))
    messages.push(...page.map((message) => message.id))
    await host.sql.write(page.map((message) => insertMessage(message)))
  }
  await host.sql.write([recountMessages(id)])
  return { id, messages }
}

const empty: Omit<Conversation, 'id' | 'title' | 'created_at' | 'updated_at'> = {
  owner_id: '',
  shared_with: [],
  agent_id: null,
  project_id: null,
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
}

function messageOf(conversation_id: string, number: number, at: number): Message {
  const asks = number % 2 === 0
  const content = asks ? `Question ${number}: how long does the tea take?` : answer(number)
  return {
    id: newId('msg', at),
    conversation_id,
    role: asks ? 'user' : 'assistant',
    content,
    parts: [{ type: 'text', text: content }],
    attachments: [],
    model: asks ? null : 'model-a',
    provider: asks ? null : 'openai',
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    status: 'complete',
    error: null,
    compacted: false,
    created_at: iso(at),
  }
}
