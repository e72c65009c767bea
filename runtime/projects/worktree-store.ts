import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'

/** The copy of a repository in which a task works. States are those of the port `repositories`. */
export interface Worktree {
  task_id: string
  /** Where the copy began: what differs from it is the task's work. */
  base: string
  /** What the reviewer has accepted, so that it is not reviewed again after a crash. */
  accepted: string | null
  /** What is being put into the copy; after a crash that is repeated. */
  pending: string | null
  /** Paths that contain both sides of a conflict. */
  conflicts: string[]
  /** How often there was a conflict. */
  rounds: number
}

const worktrees = new Table<Worktree>('project_worktrees', { json: ['conflicts'] })

export const findWorktree = (host: Sql, task_id: string) => worktrees.find(host, { task_id })

export const deleteWorktree = (task_id: string): Statement => worktrees.delete({ task_id })

export const saveWorktree = (row: Worktree): Statement => worktrees.upsert(row, 'task_id')

export const changeWorktree = (task_id: string, changes: Partial<Worktree>): Statement =>
  worktrees.update(changes, { task_id })

/** The tasks among these that have a copy. */
export const withWorktree = async (host: Sql, task_id: readonly string[]): Promise<string[]> =>
  (await worktrees.list(host, 'task_id', { task_id })).map((row) => row.task_id)
