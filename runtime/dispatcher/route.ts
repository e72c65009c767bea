import { ownerOf } from '../auth/owner.ts'
import {
  addConversation,
  injectMessage,
  NewConversation,
  StreamRequest,
  sendMessage,
  titleFrom,
} from '../chat/index.ts'
import type { Context } from '../context.ts'
import { devicesOfOwner } from '../devices/index.ts'
import { addProject, NewProject, requestPlan } from '../projects/index.ts'
import type { Choice } from './decide.ts'
import notes from './notes.json' with { type: 'json' }
import { settingsPage } from './rules.ts'
import type { InjectResult, Intent } from './schema.ts'

/** What was started. */
export type Started = Omit<InjectResult, 'decision'>

interface Request {
  text: string
  conversation_id: string | undefined
  agent_id: string
  /** A person wrote the text, and not a program of theirs. */
  by_person: boolean
}

/**
 * What the person is asked before an intent is started that can be long and expensive, or acts on a device; and what the
 * agent is told about a message, if the person chose its intent or if a rule guessed it.
 */
const { proposals, chosen, guessed }: Record<keyof typeof notes, Partial<Record<Intent, string>>> = notes
const unsure = 'What shall happen with this?'

/** The question for the person; null if the choice can be carried out. What could not be read is never asked about. */
export async function questionFor(
  context: Context,
  { intent, confidence, by_person, method }: Choice,
  clarify_below: number,
): Promise<string | null> {
  if (method === 'default') return null
  const hasDevice = async () => (await devicesOfOwner(context, ownerOf(context))).length > 0
  const proposal = intent !== 'device' || (await hasDevice()) ? proposals[intent] : undefined
  return proposal ?? (!by_person && confidence < clarify_below ? unsure : null)
}

/** The note to the agent for a message of an existing conversation; null if its intent needs none. */
export function noteFor(choice: Choice, text: string): string | null {
  const { intent, by_person } = choice
  if (intent === 'settings')
    return `The next message is about a setting that is changed in the web UI, on the page ${pageFor(choice, text)}.`
  return (by_person ? chosen[intent] : undefined) ?? guessed[intent] ?? null
}

const pageFor = ({ rule_target }: Choice, text: string) =>
  rule_target?.startsWith('/') ? rule_target : settingsPage(text)

/** Confidence at which a page of the settings is opened without an answer. */
const certain = 0.8

/** Carries out a choice: a turn in a conversation, a project to approve, or the page to open. */
export async function start(context: Context, choice: Choice, request: Request): Promise<Started> {
  const { intent, by_person, method, confidence } = choice
  if (intent === 'settings' && (by_person || (method !== 'embedding' && confidence >= certain))) {
    const page = pageFor(choice, request.text)
    return { conversation_id: null, message_id: null, page, message: 'This is changed in the settings.' }
  }
  if (intent === 'project') return planProject(context, request)
  const note = by_person ? chosen[intent] : undefined
  const conversation_id = request.conversation_id ?? (note ? await newConversation(context, request) : undefined)
  if (note && conversation_id) await injectMessage(context, { conversation_id, role: 'system', content: note })
  const place = conversation_id === undefined ? { agent_id: request.agent_id } : { conversation_id }
  const answer = await sendMessage(context, StreamRequest.parse({ message: request.text, ...place }), {
    by_person: request.by_person,
  })
  return {
    conversation_id: answer.conversation_id,
    message_id: answer.id,
    page: `/chat/${answer.conversation_id}`,
    message: null,
  }
}

async function newConversation(context: Context, { agent_id }: Request): Promise<string> {
  return (await addConversation(context, NewConversation.parse({ agent_id }))).id
}

/** Characters; what is longer is cut from the description of a project. */
const maxDescription = 50_000

/** A project whose plan waits for the person's approval. */
async function planProject(context: Context, { text, agent_id }: Request): Promise<Started> {
  const description = text.slice(0, maxDescription).toWellFormed()
  const { id } = await addProject(context, NewProject.parse({ name: titleFrom(text), description, agent_id }))
  await requestPlan(context, id, { mode: 'generate' })
  const message = 'A plan is being made. Nothing starts before you approve it.'
  return { conversation_id: null, message_id: null, page: `/projects/${id}`, message }
}
