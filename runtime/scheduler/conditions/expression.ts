import type { Context } from '../../context.ts'
import { memoryOverview } from '../../memory/store.ts'
import { iso } from '../../time.ts'
import { publicJob } from '../job-store.ts'
import { countRunsNow } from '../run-counts.ts'
import { previousRun } from '../run-store.ts'
import type { Condition, Question } from './condition.ts'
import { evaluateJsonata, jsonataProblem } from './jsonata.ts'

/** `expression` is JSONata over `{job, last_run, now, memory, system}`; it holds when it comes to true. */
export const expression: Condition = {
  problem: jsonataProblem,
  async check(context, question) {
    const value = await evaluateJsonata(question.expression, await dataOf(context, question))
    if (isTrue(value)) return { met: true }
    return {
      met: false,
      reason: `The condition came to ${shown(value)}: ${question.expression.slice(0, 200)}`,
    }
  },
}

/** As JSONata's own `$boolean` has it, for the values that a condition comes to. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue)
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return typeof value !== 'function' && Boolean(value)
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  return (JSON.stringify(value) ?? typeof value).slice(0, 100)
}

/** Characters of the last run's output. */
const mostOutput = 20_000

async function dataOf(context: Context, { job, run }: Question): Promise<Record<string, unknown>> {
  const previous = await previousRun(context, run)
  const last = previous && { ...previous, output: previous.output?.slice(0, mostOutput) ?? null }
  const now = context.clock.now()
  const { running = 0, queued = 0 } = await countRunsNow(context)
  const disk = await context.machine.disk()
  const data = {
    job: publicJob(job),
    last_run: last,
    now: iso(now),
    memory: await memoryOverview(context),
    system: {
      version: context.config.version,
      uptime_seconds: Math.round((now - context.process.started_at) / 1_000),
      runs_running: running,
      runs_queued: queued,
      memory_bytes: context.machine.residentBytes(),
      disk_free_bytes: disk?.free_bytes ?? null,
      disk_total_bytes: disk?.total_bytes ?? null,
    },
  }
  return JSON.parse(JSON.stringify(data)) as Record<string, unknown>
}
