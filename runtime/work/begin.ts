import type { Host } from '../host.ts'
import type { Statement, Written } from '../ports/sql.ts'
import type { WorkKind } from './kind.ts'
import { startWork } from './run.ts'
import type { NewWork } from './schema.ts'
import { insertLeased, insertWork, toWork, type WorkRow } from './store.ts'

/** A new unit: its statement, for the commit of the change that asks for it, and what follows that commit. */
export interface NewUnit {
  statement: Statement
  /** To be called with what the commit has written. */
  begin(written: readonly Written[]): void
}

/**
 * A unit that is wanted now. Where its lane is free and this process has room it begins right behind the commit that
 * stores it, without a second one to claim it; otherwise it waits in the queue like any other.
 */
export function newUnit(host: Host, kind: WorkKind, work: Omit<NewWork, 'kind' | 'due'>): NewUnit {
  const { stopping, running } = host.process
  const room = !stopping.aborted && running.count(kind.kind) < kind.max_running
  const wanted = { ...work, kind: kind.kind }
  const { id, statement } = room ? insertLeased(host, wanted) : insertWork(host, wanted)
  return {
    statement,
    begin(written) {
      const row = written.flatMap(({ rows }) => rows).find((candidate) => candidate.id === id)
      if (row?.status === 'running') void startWork(host, kind, toWork(row as unknown as WorkRow))
      host.process.wake()
    },
  }
}
