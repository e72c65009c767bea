import { z } from 'zod'
import { workingAgent } from '../agents/index.ts'
import { describeNow } from '../auth/profile.ts'
import { allMessages, describeCalls } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault } from '../fault.ts'
import { offlineProvider } from '../models/models.ts'
import { ModelError } from '../ports/models.ts'
import { prompt } from '../prompts/prompt.ts'
import { askStructured, UnusableAnswer } from '../providers/index.ts'
import { iso } from '../time.ts'
import { cut } from '../tools/text.ts'
import { describeTexts } from '../tools/text-files.ts'
import { wrapUntrusted } from '../untrusted.ts'
import type { WorkKind } from '../work/kind.ts'
import { goalOf } from './brief.ts'
import { evidenceIn } from './evidence.ts'
import { projectTexts } from './files.ts'
import { auditKind } from './kinds.ts'
import { findPlan } from './plan-store.ts'
import { findProject, saveAudit } from './project-store.ts'
import { type Audit, Finding, type Project } from './schema.ts'
import { maxWaitOf, spenderOf } from './start-task.ts'
import { modelFor } from './strategy.ts'
import { listTasks, type StoredTask } from './task-store.ts'

const Opinion = z.object({
  score: z.number().min(0).max(100).describe('0 to 100'),
  findings: z.array(Finding).max(50),
})

/** Characters of each result that the auditor reads. */
const maxResult = 6_000

/** Has a model judge the plan, or the results against it, and keeps the latest audit. `max_wait`: as of `CallRequest`. */
export async function auditProject(
  context: Context,
  project: Project,
  { scope, max_wait = 0 }: { scope: Audit['scope']; max_wait?: number },
): Promise<Audit> {
  const plan = await findPlan(context, project.id)
  if (!plan) throw conflict('The project has no plan yet; generate one first')
  const tasks = await listTasks(context, project.id)
  const agent = await workingAgent(context, project.agent_id)
  const access = await modelFor(context, agent, project)
  if (access.provider === offlineProvider)
    throw new Fault(
      503,
      'unavailable',
      'The offline model cannot judge a project; add a model provider in the settings',
    )
  const { value, made_by } = await askStructured(context, {
    access,
    name: 'submit_audit',
    description: 'Submits the findings.',
    schema: Opinion,
    problems: ({ findings }) => unknownTasks(findings, tasks),
    system: prompt(`audit-${scope}`),
    text: [
      await describeNow(context),
      `Goal:\n${goalOf(project)}`,
      `Plan: ${[plan.summary, ...plan.assumptions.map((one) => `- Assumed: ${one}`)].join('\n')}`,
      ...plan.phases.map(
        ({ name, goal, tasks: planned }, at) =>
          `Phase ${at + 1}, ${name}${goal ? ` (${goal})` : ''}: ${titlesOf(
            planned.map(({ id }) => id),
            tasks,
          )}`,
      ),
      ...tasks.map((task) => describe(task, tasks, scope)),
      ...(scope === 'result' ? await failuresIn(context, tasks) : []),
      ...(scope === 'result' ? [await filesFor(context, project, tasks)] : []),
    ].join('\n\n'),
    spender: spenderOf(project, agent, `audit:${project.id}`),
    agent,
    max_wait,
  })
  const audit: Audit = { scope, ...value, made_by, created_at: iso(context.clock.now()) }
  await context.commit([saveAudit(project.id, audit)], [event('project.updated', { project_id: project.id })], {
    answer: audit,
  })
  return audit
}

const unknownTasks = (findings: readonly z.output<typeof Finding>[], tasks: readonly StoredTask[]): string[] =>
  findings
    .filter(({ task_id }) => task_id !== null && !tasks.some(({ id }) => id === task_id))
    .map(({ task_id }) => `task_id ${task_id} names no task; use null for the whole project`)

/** As the owner knows the tasks, who reads the findings. */
const titlesOf = (ids: readonly string[], tasks: readonly StoredTask[]): string =>
  ids.map((id) => `"${tasks.find((task) => task.id === id)?.title ?? id}"`).join(', ')

function describe(task: StoredTask, tasks: readonly StoredTask[], scope: Audit['scope']): string {
  const head = [
    `Task "${task.title}" (${task.status}; task_id ${task.id})`,
    task.description,
    `Starts after: ${titlesOf(task.depends_on, tasks) || 'nothing'}`,
    `Writes: ${task.files.join(', ') || 'not said'}`,
    `Criteria: ${task.acceptance.join('; ') || 'none'}`,
    ...(scope === 'result' && task.error ? [`Error: ${wrapUntrusted(task.error)}`] : []),
  ].join('\n')
  if (scope === 'plan') return head
  const result = task.outputs.map(({ kind, name, value }) => `${kind} ${name}:\n${value}`).join('\n')
  return `${head}\nResult:\n${wrapUntrusted(cut(result, maxResult).text)}`
}

/** Characters of the failed calls that the auditor reads. */
const maxFailures = 10_000

/** The failed calls, regardless of the reports. */
async function failuresIn(context: Context, tasks: readonly StoredTask[]): Promise<string[]> {
  const lines: string[] = []
  for (const { title, conversation_id } of tasks) {
    if (conversation_id === null) continue
    const { calls } = await evidenceIn(context, await allMessages(context, conversation_id))
    const failed = calls.filter(({ is_error }) => is_error)
    if (failed.length > 0) lines.push(`"${title}": ${describeCalls(failed)}`)
  }
  return lines.length > 0 ? [`Calls that failed:\n${wrapUntrusted(cut(lines.join('\n'), maxFailures).text)}`] : []
}

/** Characters of the files that the auditor reads. */
const maxFiles = 60_000
const maxFile = 10_000

async function filesFor(context: Context, project: Project, tasks: readonly StoredTask[]): Promise<string> {
  const outputs = tasks.flatMap((task) => task.outputs).filter(({ kind }) => kind === 'file')
  const paths = outputs.map(({ value }) => value)
  const { texts } = await projectTexts(context, project, { max_chars: maxFiles, max_each: maxFile, paths })
  return `Files as they are now:\n${describeTexts(texts)}`
}

/** Audits a project that has completed, where its strategy asks for it. */
export const projectAudit: WorkKind = {
  kind: auditKind,
  max_running: 2,
  timeout_seconds: 600,
  after_crash: 'retry',
  retry: { max_attempts: 2, delay_seconds: () => 5 },
  async run({ subject }, context) {
    const project = await findProject(context, subject)
    if (!project) return { status: 'cancelled' }
    try {
      await auditProject(context, project, { scope: 'result', max_wait: maxWaitOf(project) })
      return { status: 'succeeded' }
    } catch (thrown) {
      if (context.signal.aborted) throw thrown
      if (!(thrown instanceof ModelError || thrown instanceof UnusableAnswer || thrown instanceof Fault)) throw thrown
      context.log.write('warn', 'a project was not audited', { project: project.id, cause: thrown.message })
      return { status: 'failed', output: { message: thrown.message } }
    }
  },
}

/** The same for a person who waits: what a model fails at is an answer that says so. */
export async function auditNow(context: Context, project: Project, scope: Audit['scope']): Promise<Audit> {
  try {
    return await auditProject(context, project, { scope })
  } catch (thrown) {
    if (thrown instanceof UnusableAnswer)
      throw new Fault(503, 'unavailable', `The model returned no usable audit: ${thrown.message}`)
    throw thrown
  }
}
