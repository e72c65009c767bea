import type { Context } from '../../context.ts'
import { iso } from '../../time.ts'
import type { WorkKind } from '../../work/kind.ts'
import { chainKind } from '../kinds.ts'
import { isOpen } from '../run-schema.ts'
import { findRun, type StoredRun } from '../run-store.ts'
import { type Move, newChainRun, progress } from './progress.ts'
import { type Step, StepStatus } from './schema.ts'
import {
  chainRunsOf,
  chainsBegunBy,
  endStep,
  findChain,
  findChainRun,
  insertStep,
  isScheduled,
} from './store.ts'

/**
 * Goes on with the chains behind a run that has ended. What follows is stored in the commit that ends this unit, so
 * each job begins once, whatever dies in between.
 */
export const chainFollow: WorkKind = {
  kind: chainKind,
  max_running: 1,
  after_crash: 'retry',
  // A job that was deleted in this very moment is gone from its chains at the next try.
  retry: { max_attempts: 10, delay_seconds: () => 2 },
  async run({ subject }, context) {
    const run = await findRun(context, subject)
    const moves = run ? await behind(context, run) : [await goOn(context, subject)]
    return {
      status: 'succeeded',
      statements: moves.flatMap(({ statements }) => statements),
      events: moves.flatMap(({ events }) => events),
      announce: () => context.process.wake(),
    }
  },
}

async function behind(context: Context, run: StoredRun): Promise<Move[]> {
  if (isOpen(run)) return []
  const places = await chainRunsOf(context, run.id)
  if (places.length === 0) return begun(context, run)
  const status = StepStatus.parse(run.status)
  const moves = await Promise.all(places.map((place) => goOn(context, place, { job_id: run.job_id, status })))
  return [{ statements: [endStep(run.id, status)], events: [] }, ...moves]
}

/** A run by the schedule of a chain's first job. One that was skipped begins nothing; its siblings are left out. */
async function begun(context: Context, run: StoredRun): Promise<Move[]> {
  if (run.status === 'skipped' || run.status === 'missed' || !(await isScheduled(context, run))) return []
  const status = StepStatus.parse(run.status)
  const chains = await chainsBegunBy(context, run.job_id)
  return chains.map((chain) => {
    const fresh = newChainRun(context, chain, run.started_at ?? iso(context.clock.now()))
    const first = insertStep(fresh.id, { job_id: run.job_id, run_id: run.id, status })
    const next = progress(context, chain, { id: fresh.id, steps: new Map([[run.job_id, status]]) })
    return {
      statements: [...fresh.statements, first, ...next.statements],
      events: [...fresh.events, ...next.events],
    }
  })
}

/** What follows in one run of a chain, with what has ended just now. */
async function goOn(context: Context, id: string, ended?: Pick<Step, 'job_id' | 'status'>): Promise<Move> {
  const chainRun = await findChainRun(context, id)
  const chain = chainRun && (await findChain(context, chainRun.chain_id))
  if (!chain || chainRun.completed_at !== null) return { statements: [], events: [] }
  const steps = new Map(chainRun.steps.map(({ job_id, status }) => [job_id, status]))
  if (ended) steps.set(ended.job_id, ended.status)
  return progress(context, chain, { id, steps })
}
