import { canUse, findAgent, namedEnabledAgent, requireDefaultAgent } from '../agents/index.ts'
import { requireConversation } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict, Fault } from '../fault.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import { readSection } from '../sections/section.ts'
import { iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { type Choice, choice, decide, ruleText } from './decide.ts'
import { noteFor, questionFor, type Started, start } from './route.ts'
import {
  type Decision,
  type DispatcherSettings,
  dispatcherSettings,
  type InjectRequest,
  type InjectResult,
  type OverrideRequest,
} from './schema.ts'
import {
  deleteOwnRule,
  findDecision,
  findRule,
  insertDecision,
  publicDecision,
  type StoredDecision,
  saveRule,
  updateDecision,
} from './store.ts'

const excerptLength = 200

const nothing: Started = { conversation_id: null, message_id: null, page: null, message: null }

/** The decision if the caller may see it, else a 404. */
export const requireDecision = required('decision', findDecision)

/** Decides what a sentence was meant to be and starts it, or asks. */
export async function inject(context: Context, request: InjectRequest): Promise<InjectResult> {
  const began = context.clock.now()
  const settings = await readSection(context, dispatcherSettings)
  const agent = await agentFor(context, request, settings)
  const decision = request.decision_id === undefined ? null : await openDecision(context, request.decision_id)
  const id = decision?.id ?? newId('dec', began)
  const made = request.intent
    ? choice({ intent: request.intent, method: 'override', reason: 'You chose this', by_person: true })
    : await decide(context, { text: request.text, settings, agent, run_ref: id })
  const question = request.intent ? null : await questionFor(context, made, settings.clarify_below)
  const source = decision?.source ?? request.source
  const draft: StoredDecision = {
    ...drafted(context, made, { id, text: request.text, source, began }),
    agent_id: agentOf(made, agent),
    status: question === null ? 'routed' : 'clarifying',
    ...(decision && { created_at: decision.created_at }),
  }
  if (request.dry_run) return { decision: publicDecision(draft), ...nothing, message: question }
  const happened = decision
    ? event('dispatcher.decision.overridden', { decision_id: id, intent: draft.intent })
    : createdEvent(draft)
  // Stored before anything is started, so that of two answers to one question only one is carried out.
  const asking = question === null ? null : { decision: publicDecision(draft), ...nothing, message: question }
  const stored = decision ? updateDecision(draft, decision) : insertDecision(context, draft)
  await context.commit([stored], [happened], asking ? { answer: asking } : {})
  return asking ?? carryOut(context, made, draft, request)
}

const fieldsOf = ({ rule_target: _, by_person: __, ...fields }: Choice) => fields

interface Sentence {
  id: string
  text: string
  source: Decision['source']
  /** Milliseconds since the epoch. */
  began: number
}

/** The row of a decision that was made just now. */
const drafted = ({ clock }: Context, made: Choice, { id, text, source, began }: Sentence) => ({
  ...fieldsOf(made),
  id,
  input: text,
  input_excerpt: text.replace(/\s+/g, ' ').trim().slice(0, excerptLength).toWellFormed(),
  source,
  target: null,
  latency_ms: clock.now() - began,
  created_at: iso(began),
})

const createdEvent = ({ id, intent, method, status }: Decision): EventInput =>
  event('dispatcher.decision.created', { decision_id: id, intent, method, status })

const agentOf = ({ rule_target }: Choice, agent: Agent) => (rule_target?.startsWith('agent_') ? rule_target : agent.id)

/** The agent that answers: the conversation's, the one of the settings, or the default. */
async function agentFor(
  context: Context,
  { conversation_id }: Pick<InjectRequest, 'conversation_id'>,
  { default_agent_id }: DispatcherSettings,
): Promise<Agent> {
  const conversation = conversation_id === undefined ? null : await requireConversation(context, conversation_id)
  const id = conversation ? conversation.agent_id : default_agent_id
  const agent = id === null ? null : await findAgent(context, id)
  return agent?.enabled && canUse(context, agent) ? agent : requireDefaultAgent(context)
}

async function openDecision(context: Context, id: string): Promise<StoredDecision> {
  const decision = await requireDecision(context, id)
  if (decision.status !== 'clarifying') throw conflict('This decision is not waiting for an answer')
  return decision
}

/** The id of the conversation or project, or the page of the settings. */
const targetOf = ({ conversation_id, page }: Started) => conversation_id ?? page?.replace(/^\/projects\//, '') ?? null

/** Starts what was decided. A refusal makes the decision `failed` and is thrown. */
async function carryOut(
  context: Context,
  made: Choice,
  draft: StoredDecision,
  { text, conversation_id }: Pick<InjectRequest, 'text' | 'conversation_id'>,
): Promise<InjectResult> {
  const agent_id = draft.agent_id ?? (await requireDefaultAgent(context)).id
  const by_person = draft.source !== 'webhook'
  try {
    const started = await start(context, made, { text, conversation_id, agent_id, by_person })
    const decision = { ...draft, target: targetOf(started) }
    const answer = { decision: publicDecision(decision), ...started }
    await context.commit([updateDecision(decision, draft)], [], { answer })
    return answer
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    const reason = fault.message.slice(0, 500)
    await context.commit([updateDecision({ ...draft, status: 'failed', reason }, draft)])
    throw fault
  }
}

/**
 * Corrects a decision and keeps the correction: this sentence and similar ones have the given intent from now
 * on. If the decision was waiting for an answer, it is carried out.
 */
export async function override(
  context: Context,
  id: string,
  { intent, target = null }: OverrideRequest,
): Promise<InjectResult> {
  const old = await requireDecision(context, id)
  if (target?.startsWith('agent_')) await namedEnabledAgent(context, target, 'target')
  const reason = old.intent === intent ? 'You confirmed this' : `You changed this from ${old.intent}`
  const made = choice({ intent, method: 'override', reason, rule_target: target, by_person: true })
  const draft: StoredDecision = {
    ...old,
    ...fieldsOf(made),
    alternatives: old.alternatives,
    tokens: old.tokens,
    agent_id: target?.startsWith('agent_') ? target : old.agent_id,
    status: 'overridden',
  }
  const now = context.clock.now()
  const rule = { id: newId('drule', now), text: ruleText(old.input), intent, target, created_at: iso(now) }
  const isAnswer = old.status === 'clarifying'
  const answer = { decision: publicDecision(draft), ...nothing }
  await context.commit(
    [updateDecision(draft, old), ...saveRule(context, rule)],
    [event('dispatcher.decision.overridden', { decision_id: id, intent })],
    isAnswer ? {} : { answer },
  )
  return isAnswer ? carryOut(context, made, draft, { text: old.input }) : answer
}

const requireRule = required('rule', findRule)

/** Deletes a rule that a correction has made. */
export async function deleteRule(context: Context, id: string): Promise<void> {
  await requireRule(context, id)
  await context.commit([deleteOwnRule(context, id)], [event('dispatcher.rule.deleted', { rule_id: id })])
}

interface Said {
  text: string
  source: Decision['source']
  conversation_id: string
  agent: Agent
}

/**
 * Decides about a message of a person whose conversation is already known, such as a chat on a channel. Asks no model
 * and asks no question: if a rule matches, `note` is shown to the agent before the message, and the agent asks.
 * `statements` and `events` belong in the commit that stores the message.
 */
export async function decideInConversation(
  context: Context,
  { text, source, conversation_id, agent }: Said,
): Promise<{ note: string | null; statements: Statement[]; events: EventInput[] }> {
  const settings = await readSection(context, dispatcherSettings)
  if (!settings.enabled) return { note: null, statements: [], events: [] }
  const began = context.clock.now()
  const id = newId('dec', began)
  const made = await decide(context, { text, settings, agent, run_ref: id, quick: true })
  const decision: StoredDecision = {
    ...drafted(context, made, { id, text, source, began }),
    target: conversation_id,
    agent_id: agent.id,
    status: 'routed',
  }
  return {
    note: isExplicit(made) ? noteFor(made, text) : null,
    statements: [insertDecision(context, decision)],
    events: [createdEvent(decision)],
  }
}

/** Similarity to examples is too weak in the middle of a conversation, where most messages refer to earlier ones. */
const isExplicit = ({ method }: Choice) => method === 'rule' || method === 'override'
