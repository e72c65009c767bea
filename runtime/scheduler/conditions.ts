import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { probe } from '../outbound/probe.ts'
import { type FileEntry, PathRefused } from '../ports/files.ts'
import type { Statement } from '../ports/sql.ts'
import { toBase64 } from '../secrets/base64.ts'
import { errorMessage } from '../thrown.ts'
import { iso } from '../time.ts'
import { workspaceOf } from '../tools/workspace.ts'
import { isTrue } from '../values.ts'
import { type JobRun, urlProblem } from './delivery-format.ts'
import { findMark, publicJob, type StoredJob, setMark } from './job-store.ts'
import { countRunsNow, previousRun } from './run-store.ts'
import { RunStatus } from './schema.ts'

type Verdict =
  /** `statements` belong to the commit that starts the run. */
  | { met: true; statements?: Statement[] }
  /** `broken`: the condition could not be evaluated, and people get a warning. */
  | { met: false; reason: string; broken?: boolean }

interface Condition {
  /** What is wrong with an expression, before it is stored; null if nothing is. */
  problem(expression: string): Promise<string | null>
  /** An error counts as broken. */
  check(context: Context, jobRun: JobRun, expression: string): Promise<Verdict>
}

/** JSONata over `{job, last_run, now, memory, system}`; met if it evaluates to true. */
const expression: Condition = {
  problem: jsonataProblem,
  async check(context, jobRun, expression) {
    const value = await evaluateJsonata(expression, await expressionData(context, jobRun))
    if (isTrue(value)) return { met: true }
    const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value).slice(0, 100)
    return { met: false, reason: `The condition evaluated to ${text}: ${expression.slice(0, 200)}` }
  },
}

const maxOutput = 20_000

async function expressionData(context: Context, { job, run }: JobRun): Promise<Record<string, unknown>> {
  const previous = await previousRun(context, run)
  const now = context.clock.now()
  const { running = 0, queued = 0 } = await countRunsNow(context, owned(context))
  const disk = await context.machine.disk()
  const { memoryOverview } = await import('../memory/index.ts')
  const data = {
    job: publicJob(job),
    last_run: previous && { ...previous, output: previous.output?.slice(0, maxOutput) ?? null },
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

/** A URL; met if a GET through the guard answers 2xx. */
const http: Condition = {
  problem: async (expression) => urlProblem(expression.trim()),
  async check(context, _, expression) {
    const answer = await probe(context, expression.trim())
    return answer.ok ? { met: true } : { met: false, reason: answer.reason, broken: answer.refused }
  },
}

/** Bytes up to which a file is compared by its content; larger files are compared by size and time. */
const maxHashed = 8 * 1024 * 1024

/**
 * A path in the workspace of the job's agent; met if the file differs from the last run that started.
 * Rewriting the same content is not a change, deleting it is. The first run starts if the file exists.
 */
const fileChanged: Condition = {
  async problem(expression) {
    const path = expression.trim()
    const leaves = path.startsWith('/') || path.includes('\\') || path.split('/').includes('..')
    return leaves ? 'must be a path within the workspace of the agent, such as notes/plan.md' : null
  },
  async check(context, { job }, expression) {
    const path = expression.trim().replace(/^(\.\/)+/, '')
    const before = await findMark(context, job.id, 'file')
    const state = `${path}\n${await fileState(context, job, path)}`
    if (state === before) return { met: false, reason: `${path} has not changed since the last run` }
    if (state.endsWith('\nmissing') && !before?.startsWith(`${path}\n`))
      return { met: false, reason: `${path} does not exist` }
    return { met: true, statements: [setMark(job.id, 'file', state)] }
  },
}

async function fileState(context: Context, job: StoredJob, path: string): Promise<string> {
  const root = workspaceOf(job.agent_id ?? '', job.owner_id)
  const entry = await context.files.stat(root, path).catch((thrown: unknown) => {
    throw thrown instanceof PathRefused ? new Error(`${path} is refused: ${thrown.message}`) : thrown
  })
  if (!entry) return 'missing'
  if (entry.kind === 'folder') return stamp(await context.files.list(root, path))
  const bytes = entry.size_bytes <= maxHashed ? await context.files.read(root, path) : null
  return bytes ? `sha256 ${context.secrets.sha256(toBase64(bytes))}` : stamp([entry])
}

/** Names, sizes and times of entries. */
const stamp = (entries: FileEntry[]) =>
  entries
    .map(({ path, size_bytes, modified_at }) => `${path} ${size_bytes} ${modified_at}`)
    .sort()
    .join('|')

/** A status such as `succeeded`; met if the previous run ended with it, or if there is none. */
const previousStatus: Condition = {
  async problem(expression) {
    if (RunStatus.safeParse(expression.trim()).success) return null
    return `must be a run status: ${RunStatus.options.join(', ')}`
  },
  async check(context, { run }, expression) {
    const previous = await previousRun(context, run)
    if (!previous || previous.status === expression.trim()) return { met: true }
    return { met: false, reason: `The previous run ended ${previous.status}, not ${expression.trim()}` }
  },
}

export const conditions: Record<NonNullable<StoredJob['condition']>['type'], Condition> = {
  expression,
  http,
  file_changed: fileChanged,
  previous_status: previousStatus,
}

export interface Judgement {
  /** Why the run must not start; null if it may. */
  refusal: string | null
  /** For the commit that starts the run. */
  statements: Statement[]
  /** For the commit that skips it. */
  events: EventInput[]
}

/** Evaluates the condition of a job. A broken condition is not met. Manual runs ignore it. */
export async function judge(context: Context, jobRun: JobRun): Promise<Judgement> {
  const { job, run } = jobRun
  if (job.condition === null || run.trigger === 'manual') return { refusal: null, statements: [], events: [] }
  const { type, expression } = job.condition
  const verdict = await conditions[type].check(context, jobRun, expression).catch((thrown: unknown): Verdict => {
    context.signal.throwIfAborted()
    const message = errorMessage(thrown)
    return { met: false, broken: true, reason: `Its condition cannot be checked: ${message}` }
  })
  if (verdict.met) return { refusal: null, statements: verdict.statements ?? [], events: [] }
  const data = { job_id: job.id, name: job.name, run_id: run.id, condition: type, error: verdict.reason }
  const warning = event('job.condition.failed', data)
  return { refusal: verdict.reason, statements: [], events: verdict.broken ? [warning] : [] }
}
