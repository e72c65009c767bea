import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import type { Phase, Plan } from './schema.ts'

const plans = new Table<Plan>('project_plans', {
  packed: {
    column: 'content',
    fields: ['summary', 'strategy', 'assumptions', 'phases', 'estimate', 'made_by', 'tainted', 'instructions'],
  },
})

const isCurrent = `status <> 'superseded'`

/** The current plan; null if there is none. */
export const findPlan = async (host: Sql, project_id: string): Promise<Plan | null> =>
  (await plans.list(host, 'version DESC LIMIT 1', { project_id }, isCurrent))[0] ?? null

/** Those of these projects whose plan waits for approval. */
export async function withOpenPlan({ sql }: Sql, projects: readonly string[]): Promise<Set<string>> {
  const rows = await sql.read<{ project_id: string }>(
    `SELECT project_id FROM project_plans
      WHERE status = 'pending_approval' AND project_id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(projects)],
  )
  return new Set(rows.map(({ project_id }) => project_id))
}

/** Every version, newest first. */
export const listPlans = (host: Sql, project_id: string) => plans.list(host, 'version DESC', { project_id })

export const insertPlan = (plan: Plan): Statement => plans.insert(plan)

export const supersedePlans = (project_id: string): Statement => plans.update({ status: 'superseded' }, { project_id })

export const approvePlan = (project_id: string, now: string): Statement =>
  plans.update({ status: 'approved', approved_at: now }, { project_id, status: 'pending_approval' })

/** A phase as it is stored; its status follows from its tasks. */
export interface StoredPhase extends Pick<Phase, 'id' | 'order' | 'name' | 'goal'> {
  project_id: string
  approved_at: string | null
  /** When its owner was asked to approve it. */
  asked_at: string | null
}

const phases = new Table<StoredPhase>('project_phases', { columns: { order: 'position' } })

/** The phases in their order. */
export const listPhases = (host: Sql, project_id: string) => phases.list(host, 'position, id', { project_id })

export const insertPhase = (phase: Omit<StoredPhase, 'asked_at'>): Statement => phases.insert(phase)

export const notePhaseAsked = (id: string, now: string): Statement => phases.update({ asked_at: now }, { id })

/** Makes room for a phase at a position. */
export const shiftPhases = (project: string, from: number): Statement => ({
  sql: 'UPDATE project_phases SET position = position + 1 WHERE project_id = ? AND position >= ?',
  args: [project, from],
})

export const approvePhase = (id: string, now: string): Statement =>
  phases.update({ approved_at: now }, { id, approved_at: null }, 'The phase was already approved')

export const deletePhases = (project_id: string): Statement => phases.delete({ project_id })
