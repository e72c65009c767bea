import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import type { StoredJob } from '../job-store.ts'
import type { StoredRun } from '../run-store.ts'

export interface Question {
  job: StoredJob
  run: StoredRun
  /** What the condition says, for its type to read. */
  expression: string
}

export type Verdict =
  /** `statements` go into the commit that makes the run running: what is to be remembered. */
  | { met: true; statements?: Statement[] }
  /** `broken` when nobody can tell whether it holds, which people are warned of. */
  | { met: false; reason: string; broken?: boolean }

/** One type of condition. */
export interface Condition {
  /** What is wrong with an expression, before it is stored; null when nothing is. */
  problem(expression: string): Promise<string | null>
  /** What it throws counts as broken. */
  check(context: Context, question: Question): Promise<Verdict>
}
