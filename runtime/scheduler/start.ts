import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Statement } from '../ports/sql.ts'
import { iso, second } from '../time.ts'
import { insertWork } from '../work/store.ts'
import type { StoredJob } from './job-store.ts'
import { stopKind } from './kinds.ts'
import type { Run } from './run-schema.ts'
import { beginRun } from './run-store.ts'
import { targetOf } from './targets.ts'

/**
 * Makes a queued run running: what it does, when its time is up, and the telling of it, for one commit. Throws a
 * `Fault` that says why it cannot begin.
 */
export async function startOf(
  context: Context,
  job: StoredJob,
  run: Pick<Run, 'id' | 'trigger' | 'attempt'>,
): Promise<{ statements: Statement[]; events: EventInput[] }> {
  const target = await targetOf(job.target.kind)
  if (!target) throw new Fault(422, 'unsupported', `A ${job.target.kind} cannot be started here`)
  const begun = await target.begin(context, job, run)
  const now = context.clock.now()
  const { conversation_id, message_id } = begun
  const stop = insertWork(context, {
    kind: stopKind,
    subject: run.id,
    due: now + job.timeout_seconds * second,
  })
  const { trigger, attempt } = run
  const data = { job_id: job.id, name: job.name, run_id: run.id, trigger, attempt, conversation_id }
  return {
    statements: [
      beginRun(run.id, { at: iso(now), conversation_id, message_id }),
      ...begun.statements,
      stop.statement,
    ],
    events: [...begun.events, { type: 'job.run.started', data }],
  }
}
