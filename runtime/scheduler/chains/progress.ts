import type { Context } from '../../context.ts'
import type { EventInput } from '../../events/event.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import { insertWork } from '../../work/store.ts'
import { draftRun } from '../draft-run.ts'
import { countRun } from '../job-store.ts'
import { chainKind, runKind } from '../kinds.ts'
import { insertRun } from '../run-store.ts'
import { advance } from './graph.ts'
import type { StepStatus } from './schema.ts'
import { endChainRun, insertChainRun, insertStep, type StoredChain } from './store.ts'

export interface Move {
  statements: Statement[]
  events: EventInput[]
}

/** The unit that goes on behind a run, or with a run of a chain; one after the other, so that no two see half a step. */
export const chainUnit = (context: Context, subject: string): Statement =>
  insertWork(context, { kind: chainKind, subject, lane: chainKind }).statement

/** A run of a job as a step of a run of a chain: its row, its work and its place. */
export function beginStep(context: Context, chainRun: string, job: string) {
  const at = context.clock.now()
  const run = draftRun(context, { job_id: job, trigger: 'chain', at, chain_run_id: chainRun })
  const { statement } = insertWork(context, { kind: runKind, subject: run.id })
  const step = { job_id: job, run_id: run.id, status: 'running' as const }
  return {
    run_id: run.id,
    statements: [countRun(job), insertRun(run), statement, insertStep(chainRun, step)],
  }
}

/** A new run of a chain, without steps. */
export function newChainRun(context: Context, { id, name }: StoredChain, started_at: string) {
  const chain_run_id = newId('chainrun', context.clock.now())
  return {
    id: chain_run_id,
    statements: [insertChainRun({ id: chain_run_id, chain_id: id, started_at })],
    events: [{ type: 'chain.run.started', data: { chain_id: id, name, chain_run_id } }],
  }
}

/** Everything that follows from the steps so far. */
export function progress(
  context: Context,
  chain: StoredChain,
  run: { id: string; steps: ReadonlyMap<string, StepStatus> },
): Move {
  const { begin, leave, end } = advance(chain, run.steps)
  const left = leave.map((job_id) => insertStep(run.id, { job_id, run_id: null, status: 'left_out' }))
  const begun = begin.flatMap((job) => beginStep(context, run.id, job).statements)
  const statements = [...begun, ...left]
  if (end === null) return { statements, events: [] }
  const data = { chain_id: chain.id, name: chain.name, chain_run_id: run.id, status: end }
  const type = end === 'failed' ? 'chain.run.failed' : 'chain.run.finished'
  const closing = endChainRun(run.id, end, iso(context.clock.now()))
  return { statements: [...statements, closing], events: [{ type, data }] }
}
