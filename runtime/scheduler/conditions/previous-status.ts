import { RunStatus } from '../run-schema.ts'
import { previousRun } from '../run-store.ts'
import type { Condition } from './condition.ts'

/** `expression` is a status, for example `succeeded`. A first run has no run before it and goes ahead. */
export const previousStatus: Condition = {
  async problem(expression) {
    return RunStatus.safeParse(expression.trim()).success
      ? null
      : `must be a status of a run: ${RunStatus.options.join(', ')}`
  },
  async check(context, { run, expression }) {
    const previous = await previousRun(context, run)
    if (!previous || previous.status === expression.trim()) return { met: true }
    return { met: false, reason: `The run before it ended ${previous.status}, not ${expression.trim()}` }
  },
}
