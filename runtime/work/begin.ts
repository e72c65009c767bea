import type { Host } from '../host.ts'
import type { Statement, Written } from '../ports/sql.ts'
import type { WorkKind } from './kind.ts'
import { startWork } from './run.ts'
import type { NewWork } from './schema.ts'
import { insertLeased, insertWork, type Queueing, units } from './store.ts'

/** A new unit: the statement that inserts it, and a callback to run after the commit. */
export interface NewUnit {
  statement: Statement
  /** Call with the result of the commit. */
  begin(written: readonly Written[]): void
}

/**
 * Creates a unit that is due now. If its lane is free and this process has capacity, it is inserted as
 * already claimed and starts right after the commit; otherwise it is queued.
 */
export function newUnit(host: Host & Queueing, kind: WorkKind, work: Omit<NewWork, 'kind' | 'due'>): NewUnit {
  const { stopping, running } = host.process
  const room = !stopping.aborted && running.count(kind.kind) < kind.max_running
  const unit = { ...work, kind: kind.kind }
  const { id, statement } = room ? insertLeased(host, unit) : insertWork(host, unit)
  return {
    statement,
    begin(written) {
      const row = written.flatMap(({ rows }) => rows).find((candidate) => candidate.id === id)
      if (row?.status === 'running') void startWork(host, kind, units.decode(row))
      host.process.wake()
    },
  }
}
