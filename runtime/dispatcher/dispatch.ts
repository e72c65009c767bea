import { canUse, namedEnabledAgent, requireDefaultAgent } from '../agents/agents.ts'
import { findAgent } from '../agents/store.ts'
import { requireConversation } from '../chat/conversations.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault } from '../fault.ts'
import { newId } from '../id.ts'
import { required } from '../required.ts'
import { readSection } from '../sections/section.ts'
import { iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { type Choice, choice, decide, ruleText } from './decide.ts'
import { questionFor, type Started, start } from './route.ts'
import {
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

export const excerptOf = (text: string) =>
  text.replace(/\s+/g, ' ').trim().slice(0, excerptLength).toWellFormed()

const nothing: Started = { conversation_id: null, message_id: null, page: null, message: null }

/** The decision if the caller may see it, else a 404. */
export const requireDecision = required('decision', findDecision)

/** Decides what a sentence was meant to be and starts it, or asks. */
export async function inject(context: Context, request: InjectRequest): Promise<InjectResult> {
  const began = context.clock.now()
  const settings = await readSection(context, dispatcherSettings)
  const agent = await agentFor(context, request, settings)
  const asked = request.decision_id === undefined ? null : await openDecision(context, request.decision_id)
  const id = asked?.id ?? newId('dec', began)
  const made = request.intent
    ? choice({ intent: request.intent, method: 'override', reason: 'You chose this', by_person: true })
    : await decide(context, { text: request.text, settings, agent, run_ref: id })
  const question = request.intent ? null : await questionFor(context, made, settings.clarify_below)
  const draft: StoredDecision = {
    id,
    input: request.text,
    input_excerpt: excerptOf(request.text),
    source: asked?.source ?? request.source,
    ...fieldsOf(made),
    target: null,
    agent_id: agentOf(made, agent),
    status: question === null ? 'routed' : 'clarifying',
    latency_ms: context.clock.now() - began,
    created_at: asked?.created_at ?? iso(began),
  }
  if (request.dry_run) return { decision: publicDecision(draft), ...nothing, message: question }
  const { status, intent, method } = draft
  const happened = asked
    ? event('dispatcher.decision.overridden', { decision_id: id, intent })
    : event('dispatcher.decision.created', { decision_id: id, intent, method, status })
  // Stored before anything is started, so that of two answers to one question only one is carried out.
  const asking = question === null ? null : { decision: publicDecision(draft), ...nothing, message: question }
  const stored = asked ? updateDecision(draft, asked) : insertDecision(context, draft)
  await context.commit([stored], [happened], asking ? { answer: asking } : {})
  return asking ?? carryOut(context, made, draft, request)
}

export const fieldsOf = ({ rule_target: _, by_person: __, ...fields }: Choice) => fields

const agentOf = ({ rule_target }: Choice, agent: Agent) =>
  rule_target?.startsWith('agent_') ? rule_target : agent.id

/** The agent that answers: the conversation's, the one of the settings, or the default. */
async function agentFor(
  context: Context,
  { conversation_id }: Pick<InjectRequest, 'conversation_id'>,
  { default_agent_id }: DispatcherSettings,
): Promise<Agent> {
  const conversation =
    conversation_id === undefined ? null : await requireConversation(context, conversation_id)
  const id = conversation ? conversation.agent_id : default_agent_id
  const agent = id === null ? null : await findAgent(context, id)
  return agent?.enabled && canUse(context, agent) ? agent : requireDefaultAgent(context)
}

async function openDecision(context: Context, id: string): Promise<StoredDecision> {
  const decision = await requireDecision(context, id)
  if (decision.status !== 'clarifying') throw conflict('This decision is not waiting for an answer')
  return decision
}

interface Place {
  text: string
  conversation_id?: string | undefined
}

/** The id of the conversation or project, or the page of the settings. */
const targetOf = ({ conversation_id, page }: Started) =>
  conversation_id ?? page?.replace(/^\/projects\//, '') ?? null

/** Starts what was decided. A refusal makes the decision `failed` and is thrown. */
async function carryOut(
  context: Context,
  made: Choice,
  draft: StoredDecision,
  { text, conversation_id }: Place,
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
