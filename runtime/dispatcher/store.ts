import { owned, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Page } from '../http/page.ts'
import type { Statement, Value } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import type { Candidate, Decision, DecisionFilter, Intent } from './schema.ts'

type Reader = Pick<Context, 'sql' | 'caller'>

interface Row extends Omit<Decision, 'alternatives'> {
  owner_id: string
  input: string
  alternatives: string
}

/** A decision with the sentence, whole while a person is asked about it. */
export interface StoredDecision extends Decision {
  input: string
}

/** Characters of a sentence that are kept once it is settled. */
const keptInput = 2_000

const inputOf = ({ input, status }: StoredDecision) =>
  status === 'clarifying' ? input : input.slice(0, keptInput).toWellFormed()

function toDecision({ owner_id: _, alternatives, ...row }: Row): StoredDecision {
  return { ...row, alternatives: JSON.parse(alternatives) as Candidate[] }
}

export const publicDecision = ({ input: _, ...decision }: StoredDecision): Decision => decision

export const insertDecision = (context: Context, decision: StoredDecision): Statement => ({
  sql: `INSERT INTO dispatcher_decisions (id, owner_id, input, input_excerpt, source, intent, target, agent_id, confidence,
    method, reason, alternatives, status, latency_ms, tokens, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    decision.id,
    ownerOf(context),
    inputOf(decision),
    decision.input_excerpt,
    decision.source,
    decision.intent,
    decision.target,
    decision.agent_id,
    decision.confidence,
    decision.method,
    decision.reason,
    JSON.stringify(decision.alternatives),
    decision.status,
    decision.latency_ms,
    decision.tokens,
    decision.created_at,
  ],
})

/** The guard refuses it unless the decision still has the status that was read: of two answers one wins. */
export const updateDecision = (decision: StoredDecision, old: Decision): Statement => ({
  sql: `UPDATE dispatcher_decisions SET input = ?, intent = ?, target = ?, agent_id = ?, confidence = ?, method = ?,
    reason = ?, status = ? WHERE id = ? AND status = ?`,
  args: [
    inputOf(decision),
    decision.intent,
    decision.target,
    decision.agent_id,
    decision.confidence,
    decision.method,
    decision.reason,
    decision.status,
    decision.id,
    old.status,
  ],
  guard: 'The decision was changed at the same time',
})

export const pruneDecisions = (before: string): Statement => ({
  sql: 'DELETE FROM dispatcher_decisions WHERE created_at < ?',
  args: [before],
})

export async function findDecision(context: Reader, id: string): Promise<StoredDecision | null> {
  const own = owned(context)
  const [row] = await context.sql.read<Row>(
    `SELECT * FROM dispatcher_decisions WHERE id = ? AND ${own.sql}`,
    [id, ...own.args],
  )
  return row ? toDecision(row) : null
}

/** Decisions, newest first. */
export async function listDecisions(
  context: Reader,
  { limit, offset, ...filter }: DecisionFilter & Page,
): Promise<{ decisions: Decision[]; total: number }> {
  const own = owned(context)
  const wanted = Object.entries<string | undefined>(filter).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const where = [own.sql, ...wanted.map(([column]) => `${column} = ?`)].join(' AND ')
  const args: Value[] = [...own.args, ...wanted.map(([, value]) => value)]
  const query = { select: `SELECT * FROM dispatcher_decisions WHERE ${where}`, args, order: 'id DESC' }
  const { rows, total } = await selectPage<Row>(context, query, { limit, offset })
  return { decisions: rows.map((row) => publicDecision(toDecision(row))), total }
}

/** Fields of recent decisions, for statistics. */
export async function decisionsSince(
  context: Reader,
  since: string,
): Promise<Pick<Decision, 'method' | 'status' | 'latency_ms'>[]> {
  const own = owned(context)
  return context.sql.read(
    `SELECT method, status, latency_ms FROM dispatcher_decisions WHERE created_at >= ? AND ${own.sql}
      ORDER BY id DESC LIMIT 10000`,
    [since, ...own.args],
  )
}

/** A person's correction: sentences like this one have this intent. */
export interface OwnRule {
  id: string
  text: string
  intent: Intent
  target: string | null
}

/** Rules that a person can have; the oldest are dropped. */
const maxRules = 500

/** The caller's own rules, newest first. A person's corrections apply to nobody else. */
export async function ownRules(context: Reader): Promise<OwnRule[]> {
  return context.sql.read<{ id: string; text: string; intent: Intent; target: string | null }>(
    'SELECT id, text, intent, target FROM dispatcher_rules WHERE owner_id = ? ORDER BY id DESC',
    [ownerOf(context)],
  )
}

export function saveRule(context: Context, rule: OwnRule & { created_at: string }): Statement[] {
  const owner = ownerOf(context)
  return [
    { sql: 'DELETE FROM dispatcher_rules WHERE owner_id = ? AND text = ?', args: [owner, rule.text] },
    {
      sql: 'INSERT INTO dispatcher_rules (id, owner_id, text, intent, target, created_at) VALUES (?, ?, ?, ?, ?, ?)',
      args: [rule.id, owner, rule.text, rule.intent, rule.target, rule.created_at],
    },
    {
      sql: `DELETE FROM dispatcher_rules WHERE owner_id = ?1 AND id NOT IN
        (SELECT id FROM dispatcher_rules WHERE owner_id = ?1 ORDER BY id DESC LIMIT ${maxRules})`,
      args: [owner],
    },
  ]
}
