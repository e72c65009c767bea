import { commit } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { GuardFailed } from '../ports/sql.ts'
import { second } from '../time.ts'
import type { WorkKind } from './kind.ts'
import type { WorkKinds } from './kinds.ts'
import { commitEnd, workContext } from './run.ts'
import type { Work } from './schema.ts'
import { lapsedWork, markLost, requeueLapsed } from './store.ts'

/**
 * Recovers units whose process died: depending on their kind they are retried or lost.
 * `everyone` is set at startup of the only daemon on a database, when no other process can hold a lease.
 */
export async function recoverWork(host: Host, kinds: WorkKinds, everyone: boolean): Promise<number> {
  const lapsed = await lapsedWork(host, everyone)
  for (const work of lapsed) await recoverOne(host, await kinds.get(work.kind), work)
  return lapsed.length
}

async function recoverOne(host: Host, kind: WorkKind | undefined, work: Work): Promise<void> {
  try {
    const context = workContext(host, work, host.process.stopping)
    if (kind && mayRetry(kind, work)) {
      await commit(host, [requeueLapsed(work, kind, nextTry(host, kind, work))])
      return
    }
    const resumption = await kind?.resume?.(work, context)
    if (resumption) {
      const due = host.clock.now() + resumption.delay_seconds * second
      await commit(host, [requeueLapsed(work, kind ?? {}, due), ...(resumption.statements ?? [])])
      return
    }
    await commitEnd(context, markLost(host, work), await kind?.ended?.(work, 'lost', context))
    host.metrics.count('work_ended_total', { status: 'lost' })
    const isRestored = host.process.restored !== null && !host.process.ready
    const why = isRestored ? 'it was running when the restored backup was made' : 'its process died'
    host.log.write('warn', `work was lost because ${why}`, {
      work: work.id,
      kind: work.kind,
      subject: work.subject,
    })
  } catch (thrown) {
    // Another daemon has already recovered it.
    if (thrown instanceof GuardFailed) return
    host.log.write('error', 'cannot recover work', { work: work.id, kind: work.kind, cause: thrown })
  }
}

const mayRetry = (kind: WorkKind, work: Work) =>
  kind.after_crash === 'retry' && work.attempt < (kind.retry?.max_attempts ?? Number.POSITIVE_INFINITY)

/** Without a retry delay, a unit keeps its due time and thus its position in the queue. */
function nextTry({ clock }: Host, { retry }: WorkKind, { attempt, due_at }: Work): number {
  const now = clock.now()
  return retry ? now + retry.delay_seconds(attempt) * second : Math.min(now, Date.parse(due_at))
}
