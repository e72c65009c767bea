import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
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
export const findPlan = (host: Sql, project_id: string) => plans.first(host, 'version DESC', { project_id }, isCurrent)

/** Those of these projects whose plan waits for approval. */
export const withOpenPlan = async (host: Sql, project_id: readonly string[]): Promise<Set<string>> =>
  new Set(Object.keys(await plans.countBy(host, 'project_id', { project_id, status: 'pending_approval' })))

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
export const shiftPhases = (project_id: string, from: number): Statement =>
  phases.update({ order: sql`position + 1` }, [{ project_id }, sql`position >= ${from}`])

export const approvePhase = (id: string, now: string): Statement =>
  phases.update({ approved_at: now }, { id, approved_at: null }, 'The phase was already approved')

export const deletePhases = (project_id: string): Statement => phases.delete({ project_id })
