import type { Context } from '../context.ts'
import { commit } from '../events/commit.ts'
import type { Statement } from '../ports/sql.ts'
import type { WorkEnding } from './kind.ts'

/** Commits the end of a unit with its rows and events, then calls `announce`. */
export async function commitEnd(
  host: Context,
  end: Statement,
  ending: WorkEnding | undefined,
): Promise<void> {
  await commit(host, [end, ...(ending?.statements ?? [])], ending?.events)
  ending?.announce?.()
}
