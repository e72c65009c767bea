import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { readSection } from '../sections/section.ts'
import { iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { type Choice, decide } from './decide.ts'
import { excerptOf, fieldsOf } from './dispatch.ts'
import { noteFor } from './route.ts'
import { type Decision, dispatcherSettings } from './schema.ts'
import { insertDecision, type StoredDecision } from './store.ts'

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
    ...fieldsOf(made),
    id,
    input: text,
    input_excerpt: excerptOf(text),
    source,
    target: conversation_id,
    agent_id: agent.id,
    status: 'routed',
    latency_ms: context.clock.now() - began,
    created_at: iso(began),
  }
  const { intent, method, status } = decision
  return {
    note: isExplicit(made) ? noteFor(made, text) : null,
    statements: [insertDecision(context, decision)],
    events: [event('dispatcher.decision.created', { decision_id: id, intent, method, status })],
  }
}

/** Similarity to examples is too weak in the middle of a conversation, where most messages refer to earlier ones. */
const isExplicit = ({ method }: Choice) => method === 'rule' || method === 'override'
