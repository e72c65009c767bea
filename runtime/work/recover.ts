import { commit } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { GuardFailed } from '../ports/sql.ts'
import { second } from '../time.ts'
import { commitEnd } from './end.ts'
import type { WorkKind } from './kind.ts'
import type { WorkKinds } from './kinds.ts'
import { workContext } from './run.ts'
import type { Work } from './schema.ts'
import { lapsedWork, markLost, requeueLapsed } from './store.ts'

/**
 * Deals with units whose process died: their kind says whether they are tried again or lost.
 * `everyone` at start-up of the only daemon on a database, when nobody else can hold a lease.
 */
export async function recoverWork(host: Host, kinds: WorkKinds, everyone: boolean): Promise<number> {
  const lapsed = await lapsedWork(host, everyone)
  for (const work of lapsed) await recoverOne(host, await kinds.get(work.kind), work)
  return lapsed.length
}

async function recoverOne(host: Host, kind: WorkKind | undefined, work: Work): Promise<void> {
  try {
    const context = workContext(host, work, host.process.stopping)
    if (kind && (mayRetry(kind, work) || (await kind.resumable?.(work, context)))) {
      await commit(host, [requeueLapsed(work, nextTry(host, kind, work))])
      return
    }
    await commitEnd(host, markLost(host, work), await kind?.ended?.(work, 'lost', context))
    host.log.write('warn', 'work was lost with its process', {
      work: work.id,
      kind: work.kind,
      subject: work.subject,
    })
  } catch (thrown) {
    // Another daemon was quicker; that is as good.
    if (thrown instanceof GuardFailed) return
    host.log.write('error', 'work could not be recovered', { work: work.id, kind: work.kind, cause: thrown })
  }
}

const mayRetry = (kind: WorkKind, work: Work) =>
  kind.after_crash === 'retry' && work.attempt < (kind.retry?.max_attempts ?? Number.POSITIVE_INFINITY)

/** Without a pause of its kind a unit keeps its place: what was due before others is tried before them. */
function nextTry({ clock }: Host, { retry }: WorkKind, { attempt, due_at }: Work): number {
  const now = clock.now()
  return retry ? now + retry.delay_seconds(attempt) * second : Math.min(now, Date.parse(due_at))
}
