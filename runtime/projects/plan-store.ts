import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Phase, Plan } from './schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row {
  id: string
  project_id: string
  version: number
  status: Plan['status']
  content: string
  created_at: string
  approved_at: string | null
}

const toPlan = ({ content, ...row }: Row): Plan => ({ ...(JSON.parse(content) as Plan), ...row })

/** The current plan; null if there is none. */
export async function findPlan({ sql }: Sql, project: string): Promise<Plan | null> {
  const [row] = await sql.read<Row>(
    `SELECT * FROM project_plans WHERE project_id = ? AND status <> 'superseded' ORDER BY version DESC LIMIT 1`,
    [project],
  )
  return row ? toPlan(row) : null
}

/** Those of these projects whose plan waits for approval. */
export async function withOpenPlan({ sql }: Sql, projects: readonly string[]): Promise<Set<string>> {
  const rows = await sql.read<{ project_id: string }>(
    `SELECT project_id FROM project_plans
      WHERE status = 'pending_approval' AND project_id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(projects)],
  )
  return new Set(rows.map(({ project_id }) => project_id))
}

/** What the current plan is about; null if there is none. */
export async function findPlanSummary({ sql }: Sql, project: string): Promise<string | null> {
  const [row] = await sql.read<{ summary: string }>(
    `SELECT content ->> 'summary' AS summary FROM project_plans
      WHERE project_id = ? AND status <> 'superseded' ORDER BY version DESC LIMIT 1`,
    [project],
  )
  return row?.summary ?? null
}

/** Every version, newest first. */
export async function listPlans({ sql }: Sql, project: string): Promise<Plan[]> {
  const rows = await sql.read<Row>('SELECT * FROM project_plans WHERE project_id = ? ORDER BY version DESC', [
    project,
  ])
  return rows.map(toPlan)
}

export function insertPlan(plan: Plan): Statement {
  const { id, project_id, version, status, created_at, approved_at, ...content } = plan
  return {
    sql: `INSERT INTO project_plans (id, project_id, version, status, content, created_at, approved_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)`,
    args: [id, project_id, version, status, JSON.stringify(content), created_at, approved_at],
  }
}

export const supersedePlans = (project: string): Statement => ({
  sql: `UPDATE project_plans SET status = 'superseded' WHERE project_id = ?`,
  args: [project],
})

export const approvePlan = (project: string, now: string): Statement => ({
  sql: `UPDATE project_plans SET status = 'approved', approved_at = ? WHERE project_id = ? AND status = 'pending_approval'`,
  args: [now, project],
})

/** A phase as it is stored; its status follows from its tasks. */
export interface StoredPhase extends Pick<Phase, 'id' | 'order' | 'name' | 'goal'> {
  project_id: string
  approved_at: string | null
  /** When its owner was asked to approve it. */
  asked_at: string | null
}

interface PhaseRow extends Omit<StoredPhase, 'order'> {
  position: number
}

/** The phases in their order. */
export async function listPhases({ sql }: Sql, project: string): Promise<StoredPhase[]> {
  const rows = await sql.read<PhaseRow>(
    'SELECT * FROM project_phases WHERE project_id = ? ORDER BY position, id',
    [project],
  )
  return rows.map(({ position, ...row }) => ({ ...row, order: position }))
}

export const insertPhase = (phase: Omit<StoredPhase, 'asked_at'>): Statement => ({
  sql: `INSERT INTO project_phases (id, project_id, position, name, goal, approved_at) VALUES (?, ?, ?, ?, ?, ?)`,
  args: [phase.id, phase.project_id, phase.order, phase.name, phase.goal, phase.approved_at],
})

export const notePhaseAsked = (id: string, now: string): Statement => ({
  sql: 'UPDATE project_phases SET asked_at = ? WHERE id = ?',
  args: [now, id],
})

/** Makes room for a phase at a position. */
export const shiftPhases = (project: string, from: number): Statement => ({
  sql: 'UPDATE project_phases SET position = position + 1 WHERE project_id = ? AND position >= ?',
  args: [project, from],
})

export const approvePhase = (id: string, now: string): Statement => ({
  sql: 'UPDATE project_phases SET approved_at = ? WHERE id = ? AND approved_at IS NULL',
  args: [now, id],
  guard: 'The phase was already approved',
})

export const deletePhases = (project: string): Statement => ({
  sql: 'DELETE FROM project_phases WHERE project_id = ?',
  args: [project],
})
