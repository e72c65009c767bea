import { agentSettings, findAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { categoryOf } from '../ledger/spender.ts'
import { wonRace } from '../lost-race.ts'
import { offlineProvider } from '../models/models.ts'
import { prompt } from '../prompts/prompt.ts'
import { type CallUsage, callModel, chooseModel, type ModelAccess } from '../providers/index.ts'
import { readSection } from '../sections/section.ts'
import type { WorkEnding, WorkKind } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { addUsage, findConversation, replaceTitle, type StoredConversation } from './conversation-store.ts'
import { firstExchange } from './message-store.ts'
import { type Message, titleKind } from './schema.ts'
import { cleanTitle, titleFrom } from './title.ts'

/** Maximum messages in a first exchange, which may include a welcome and a steering message. */
const maxFirstMessages = 4

/**
 * The ending of a turn, with the work that finds a title if the conversation still has the first words as its
 * title.
 */
export async function withTitle(
  ending: WorkEnding,
  context: Context,
  { conversation, message }: { conversation: StoredConversation; message: Message },
): Promise<WorkEnding> {
  if (conversation.kind !== 'user' || conversation.message_count > maxFirstMessages) return ending
  if (message.provider === offlineProvider) return ending
  if (!(await readSection(context, agentSettings)).titles) return ending
  const exchange = await firstExchange(context, conversation.id)
  if (!exchange || conversation.title !== titleFrom(exchange.question)) return ending
  const work = insertWork(context, { kind: titleKind, subject: conversation.id })
  return { ...ending, statements: [...(ending.statements ?? []), work.statement] }
}

/**
 * Gives a conversation a title from its first exchange, in one short call of the model that answered. If it
 * fails, the first words remain the title; a title that a person gave meanwhile is kept too.
 */
export const chatTitle: WorkKind = {
  kind: titleKind,
  max_running: 2,
  timeout_seconds: 60,
  after_crash: 'retry',
  async run(work, context) {
    const conversation = await findConversation(context, work.subject)
    const exchange = conversation && (await firstExchange(context, conversation.id))
    if (!exchange || conversation.title !== titleFrom(exchange.question)) return { status: 'succeeded' }
    const title = await ask(context, conversation, exchange)
    if (title !== null) await store(context, conversation, title)
    return { status: 'succeeded', output: { title } }
  },
}

async function store(context: Context, { id, title: old }: StoredConversation, title: string): Promise<void> {
  const events = [event('conversation.updated', { conversation_id: id })]
  // A title that a person has chosen meanwhile stays.
  await wonRace(context.commit([replaceTitle(id, old, title)], events))
}

/** Leaves room for models that reason before they answer. */
const maxTokens = 400
/** Characters of each side that are sent. */
const maxCharacters = 1_500

async function ask(
  context: Context,
  conversation: StoredConversation,
  { question, answered, model }: { question: string; answered: string; model: string | null },
): Promise<string | null> {
  const agent = conversation.agent_id === null ? null : await findAgent(context, conversation.agent_id)
  if (!agent) return null
  const access: ModelAccess = await chooseModel(context, model ?? conversation.model, agent.model)
  if (access.provider === offlineProvider) return null
  const text = `<exchange>\nPerson: ${question.slice(0, maxCharacters)}\n\nAgent: ${answered.slice(0, maxCharacters)}\n</exchange>`
  const content = {
    system: prompt('title'),
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
    tools: [],
    max_output_tokens: maxTokens,
  }
  const { kind, id: conversation_id, project_id } = conversation
  const spender = { category: categoryOf(kind), agent_id: agent.id, conversation_id, project_id }
  const spent = (usage: CallUsage) => [addUsage(conversation.id, usage)]
  let said = ''
  for await (const event of callModel(context, { access, content, spender, agent, spent }))
    if (event.type === 'text') said += event.text
  return cleanTitle(said)
}
