import { owned, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import { type Reader, Table } from '../table.ts'
import type { Decision, DecisionFilter, OwnRule } from './schema.ts'

/** A decision with the sentence, whole while a person is asked about it. */
export interface StoredDecision extends Decision {
  input: string
}

/** Characters of a sentence that are kept once it is settled. */
const keptInput = 2_000

const inputOf = ({ input, status }: StoredDecision) =>
  status === 'clarifying' ? input : input.slice(0, keptInput).toWellFormed()

const decisions = new Table<StoredDecision, 'owner_id'>('dispatcher_decisions', {
  json: ['alternatives'],
  hidden: ['owner_id'],
})

export const publicDecision = ({ input: _, ...decision }: StoredDecision): Decision => decision

export const insertDecision = (context: Context, decision: StoredDecision): Statement =>
  decisions.insert({ ...decision, owner_id: ownerOf(context), input: inputOf(decision) })

/** The guard refuses it unless the decision still has the status that was read: of two answers one wins. */
export function updateDecision(decision: StoredDecision, old: Decision): Statement {
  const { id, intent, target, agent_id, confidence, method, reason, status } = decision
  return decisions.update(
    { input: inputOf(decision), intent, target, agent_id, confidence, method, reason, status },
    { id, status: old.status },
    'The decision was changed at the same time',
  )
}

export const pruneDecisions = (before: string): Statement => decisions.delete(sql`created_at < ${before}`)

export const findDecision = (context: Reader, id: string) => decisions.find(context, { id }, owned(context))

/** Decisions, newest first. */
export async function listDecisions(
  context: Reader,
  { limit, offset, ...filter }: DecisionFilter & Page,
): Promise<{ rows: Decision[]; total: number }> {
  const { rows, total } = await decisions.page(context, { limit, offset }, 'id DESC', owned(context), filter)
  return { rows: rows.map(publicDecision), total }
}

/** Fields of recent decisions, for statistics. */
export const decisionsSince = (context: Reader, since: string) =>
  readRows<Pick<Decision, 'method' | 'status' | 'latency_ms'>>(
    context,
    sql`SELECT method, status, latency_ms FROM dispatcher_decisions WHERE created_at >= ${since} AND ${owned(context)}
      ORDER BY id DESC LIMIT 10000`,
  )

/** Rules that a person can have; the oldest are dropped. */
const maxRules = 500

const rules = new Table<OwnRule, 'owner_id'>('dispatcher_rules', { hidden: ['owner_id'] })

/** The caller's own rules, newest first. A person's corrections apply to nobody else. */
export const ownRules = (context: Reader): Promise<OwnRule[]> =>
  rules.list(context, 'id DESC', { owner_id: ownerOf(context) })

export const findRule = (context: Reader, id: string) => rules.find(context, { id }, owned(context))

export const deleteOwnRule = (context: Context, id: string): Statement =>
  rules.delete({ id, owner_id: ownerOf(context) })

export function saveRule(context: Context, rule: OwnRule): Statement[] {
  const owner_id = ownerOf(context)
  return [
    rules.delete({ owner_id, text: rule.text }),
    rules.insert({ ...rule, owner_id }),
    sql`DELETE FROM dispatcher_rules WHERE owner_id = ${owner_id} AND id NOT IN
        (SELECT id FROM dispatcher_rules WHERE owner_id = ${owner_id} ORDER BY id DESC LIMIT ${maxRules})`,
  ]
}
