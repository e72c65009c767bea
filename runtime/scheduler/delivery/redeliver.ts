import type { Context } from '../../context.ts'
import { conflict } from '../../fault.ts'
import { dropQueuedWork } from '../../work/select.ts'
import { insertWork } from '../../work/store.ts'
import { requireJob } from '../jobs.ts'
import { deliveryKind } from '../kinds.ts'
import type { ShownRun } from '../run-schema.ts'
import { requireRun } from '../trigger.ts'
import { deliverAnew } from './store.ts'

/** Delivers what came of a run once more, now, as its job says today. The run itself is not repeated. */
export async function redeliver(context: Context, jobId: string, runId: string): Promise<ShownRun> {
  const job = await requireJob(context, jobId)
  const run = await requireRun(context, jobId, runId)
  if (job.delivery.channel === 'none') throw conflict('The job delivers to nobody: give it a channel first')
  await context.commit([
    deliverAnew(run.id, deliveryKind),
    dropQueuedWork({ kind: deliveryKind, subject: run.id }),
    insertWork(context, { kind: deliveryKind, subject: run.id }).statement,
  ])
  context.process.wake()
  return requireRun(context, jobId, runId)
}
