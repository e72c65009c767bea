import {
  createdEvent,
  findConversation,
  insertConversation,
  listApprovals,
  type StoredConversation,
  stopTurns,
  turnKind,
  undoLatest,
  updateConversation,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { ModelError } from '../ports/models.ts'
import { chooseModel, showProviders } from '../providers/index.ts'
import { iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import type { WorkEnding } from '../work/kind.ts'
import { listWork } from '../work/select.ts'
import { commandList } from './command-list.ts'
import { type Accepted, conversationFor, currentSession, isPrivate, keyOf } from './conversation.ts'
import { dropEarlier, type InboundText } from './message-store.ts'
import type { InboundMessage } from './platform.ts'
import { queueReply } from './send.ts'
import { deleteSession, saveSession } from './session-store.ts'

interface Slash {
  name: string
  argument: string
}

/** The command that a message consists of, such as `/model` or `/stop@MyBot`; in groups only if it addresses the bot. Pure. */
export function slashOf({
  kind,
  text,
  peer,
  is_mention,
}: Pick<InboundText, 'kind' | 'text' | 'peer' | 'is_mention'>): Slash | null {
  if (kind !== 'message' || !(peer.kind === 'dm' || is_mention)) return null
  const [, name, argument = ''] = /^\/([a-z]\w{0,31})(?:@\w{1,64})?(?:\s+(.*))?$/is.exec(text.trim()) ?? []
  return name === undefined ? null : { name: name.toLowerCase(), argument: argument.trim() }
}

/** Whether a message must not wait for the earlier ones of its chat. */
export const isUrgent = (message: InboundMessage): boolean =>
  slashOf(message)?.name === 'stop' || (message.kind === 'button' && !/^choose /.test(message.value ?? ''))

/** Answers a command; no model reads it. */
export async function runSlash(context: Context, accepted: Accepted, { name, argument }: Slash): Promise<WorkEnding> {
  const run = new Map<string, () => Promise<Outcome>>([
    ['stop', () => stop(context, accepted)],
    ['new', async () => endSession(accepted)],
    ['status', async () => ({ markdown: await statusOf(context, accepted) })],
    ['model', () => model(context, accepted, argument)],
    ['undo', async () => ({ markdown: await undo(context, accepted) })],
    ['help', async () => ({ markdown: helpFor(accepted) })],
    ['start', async () => ({ markdown: helpFor(accepted) })],
  ]).get(name)
  const unknown: Outcome = { markdown: `I don’t know the command /${name}. /help lists those that I know.` }
  const { markdown, statements = [], events = [] } = run ? await run() : unknown
  const reply = await queueReply(context, accepted.channel, accepted.received, markdown)
  return { statements: [...statements, ...reply], events }
}

interface Outcome extends WorkEnding {
  markdown: string
}

/** Stops the running answer at once, with the messages that wait for it. */
async function stop(context: Context, accepted: Accepted): Promise<Outcome> {
  const { channel, received } = accepted
  await context.commit([dropEarlier(channel.id, received)])
  const session = await currentSession(context, accepted)
  const count = session ? await stopTurns(context, session.conversation_id) : 0
  if (count > 1) return { markdown: `Stopped, with ${count - 1} more of your messages.` }
  return { markdown: count === 1 ? 'Stopped.' : 'Nothing is running.' }
}

/** Makes the chat's next message start a new conversation. */
const endSession = (accepted: Accepted): Outcome => ({
  markdown: 'Your next message will start a new conversation.',
  statements: [deleteSession(accepted.channel, keyOf(accepted))],
})

/** Undoes what the latest answer has changed in files. Only the owner may. */
async function undo(context: Context, accepted: Accepted): Promise<string> {
  if (!isPrivate(accepted)) return 'Only my owner may undo changes, in a direct message.'
  const session = await currentSession(context, accepted)
  try {
    const paths = session && (await undoLatest(context, session.conversation_id))
    return paths ? `Undone: ${paths.join(', ')}` : 'There are no changes of files to undo.'
  } catch (thrown) {
    if (thrown instanceof Fault) return `${thrown.message}.`
    throw thrown
  }
}

async function statusOf(context: Context, accepted: Accepted): Promise<string> {
  const session = await currentSession(context, accepted)
  const conversation = session && (await findConversation(context, session.conversation_id))
  if (!conversation) return 'There is no conversation yet: write me something.'
  const state = await stateOf(context, conversation)
  if (!isPrivate(accepted)) return state
  const { input_tokens, output_tokens, cost_usd, message_count } = conversation
  const { agent } = await conversationFor(context, accepted)
  const tokens = (input_tokens + output_tokens).toLocaleString('en')
  return [
    state,
    `Agent: ${agent.name}, with ${await modelOf(context, conversation, agent)}`,
    `This conversation: ${message_count} messages, ${tokens} tokens, $${cost_usd.toFixed(2)}`,
  ].join('\n')
}

async function stateOf(context: Context, { id, status, waiting }: StoredConversation): Promise<string> {
  const turns = await listWork(context, { kind: turnKind, lane: id })
  const queued = turns.length > 1 ? ` ${turns.length - 1} more of your messages wait.` : ''
  if (waiting) return `I wait for the model provider (${waiting.message}).${queued}`
  if (status === 'waiting_approval') {
    const page = { status: 'pending', conversation_id: id, limit: 10, offset: 0 }
    const { rows: approvals } = await listApprovals(context, page)
    const calls = approvals.length === 1 ? 'one approval' : `${approvals.length} approvals`
    return `I wait for ${calls}.${queued}`
  }
  return status === 'running' ? `I am working on an answer.${queued}` : 'I am ready.'
}

async function modelOf(
  context: Context,
  conversation: Pick<StoredConversation, 'model'>,
  agent: Pick<Agent, 'model'>,
): Promise<string> {
  try {
    const { provider, model } = await chooseModel(context, conversation.model, agent.model)
    return provider === model ? provider : `${provider}/${model}`
  } catch (thrown) {
    if (thrown instanceof ModelError) return thrown.message
    throw thrown
  }
}

/** Shows the model of the conversation, or changes it. Only the owner may. */
async function model(context: Context, accepted: Accepted, name: string): Promise<Outcome> {
  if (!isPrivate(accepted)) return { markdown: 'Only my owner may see and change the model, in a direct message.' }
  const { conversation, isNew, key, agent } = await conversationFor(context, accepted)
  if (name === '') {
    const current = await modelOf(context, conversation, agent)
    return { markdown: `The model is ${current}.\n\n${await choicesOf(context)}` }
  }
  const chosen = name === 'default' ? null : name
  const refusal = await refusalOf(context, chosen)
  if (refusal) return { markdown: `${refusal}\n\n${await choicesOf(context)}` }
  const { channel, received } = accepted
  const now = iso(context.clock.now())
  const session = {
    channel_id: channel.id,
    key,
    conversation_id: conversation.id,
    is_owner: true,
    updated_at: now,
  }
  const { id: conversation_id } = conversation
  return {
    markdown: `From now on, this conversation uses ${await modelOf(context, { model: chosen }, agent)}.`,
    statements: [
      isNew
        ? insertConversation({ ...conversation, model: chosen })
        : updateConversation(conversation_id, { model: chosen, updated_at: now }),
      saveSession({ ...session, peer: received.message.peer }),
    ],
    events: [isNew ? createdEvent(conversation) : event('conversation.updated', { conversation_id })],
  }
}

/** Why a model cannot be used; null if it can. */
async function refusalOf(context: Context, name: string | null): Promise<string | null> {
  if (name === null) return null
  if (!/^\w[\w.-]*\/\S{1,200}$/.test(name)) return 'Name a model as `provider/model`.'
  try {
    const { missing } = await chooseModel(context, name, { provider: null, model: null, fallbacks: [] })
    return missing ? `${missing.message}.` : null
  } catch (thrown) {
    if (thrown instanceof ModelError) return `${thrown.message}.`
    throw thrown
  }
}

/** Maximum models that are listed. */
const maxModels = 20

async function choicesOf(context: Context): Promise<string> {
  const { providers } = await showProviders(context)
  const names = providers
    .filter(({ configured }) => configured)
    .flatMap(({ id, models }) => models.slice(0, maxModels).map((model) => `\`/model ${id}/${model.id}\``))
  return [
    'Others:',
    ...names.slice(0, maxModels).map((name) => `- ${name}`),
    '- `/model default`: that of the agent',
  ].join('\n')
}

function helpFor(accepted: Accepted): string {
  const commands = commandList.filter((one) => !('is_owners' in one) || isPrivate(accepted))
  return [
    'Write to me as you would to a person; I also read files, pictures, voice messages, quotes and forwarded messages.',
    '',
    ...commands.map(({ name, description }) => `- /${name} – ${description}`),
  ].join('\n')
}
