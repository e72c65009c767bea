import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import { GuardFailed } from '../../ports/sql.ts'
import { second } from '../../time.ts'
import { cancelWork } from '../../work/cancel.ts'
import { requireKind } from '../../work/kinds.ts'
import { findWork } from '../../work/store.ts'
import { captureKind } from '../capture/kind.ts'
import { memoryJobKind } from '../jobs/job.ts'

/** Kinds of work that add to the memory. */
const adding = [memoryJobKind, captureKind]

/** A unit that is told to end does so at its next step. */
const patience = 10 * second

const reason = 'Memory was cleared'

/** Ends what adds to the memory, and waits until that has settled, for a while at most. */
export async function endMemoryWork(context: Context): Promise<void> {
  const ended: string[] = []
  for (const name of adding) {
    const kind = await requireKind(context, name)
    for (const { id } of await openUnits(context, name)) {
      const work = await findWork(context, id)
      if (work) await cancelWork(context, kind, work, reason).catch(endedMeanwhile)
      ended.push(id)
    }
  }
  if (ended.length === 0) return
  const waited = new AbortController()
  const late = context.clock.after(patience, waited.signal).catch(() => undefined)
  await Promise.race([context.process.running.settled(ended), late])
  waited.abort()
}

function endedMeanwhile(thrown: unknown): void {
  if (!(thrown instanceof GuardFailed)) throw thrown
}

const openUnits = ({ sql }: Pick<Context, 'sql'>, kind: string) =>
  sql.read<{ id: string }>(
    `SELECT id FROM work WHERE kind = ? AND status IN ('queued', 'running', 'waiting')`,
    [kind],
  )

/** Lets the commit fail while something still adds to the memory, in whichever process. */
export const guardIdle: Statement = {
  sql: `UPDATE graphs SET state = state WHERE state = 'live' AND NOT EXISTS (
    SELECT 1 FROM work WHERE kind IN (SELECT value FROM json_each(?)) AND status = 'running')`,
  args: [JSON.stringify(adding)],
  guard: 'A job of the memory has not ended yet; try again in a moment',
}
