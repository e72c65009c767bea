import { namedEnabledAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault, invalidField } from '../fault.ts'
import { sumOf } from '../numbers.ts'
import { chainInput } from '../scheduler/index.ts'
import type { RunOutcome, StartingJob, Target } from '../schedules/targets.ts'
import { cut } from '../tools/text.ts'
import { cancelProject } from './cancel.ts'
import { currentPlan } from './plan-rows.ts'
import { findPlan } from './plan-store.ts'
import { planningWork } from './planning.ts'
import { findOwnProject, findProject } from './project-store.ts'
import { copyOf, draftProject, planningJob, requireFolder, requireProject, startOf, storeProject } from './projects.ts'
import { NewProject, type Project } from './schema.ts'
import { listTasks, type StoredTask } from './task-store.ts'

/**
 * A job that starts a project. With an id each run repeats the approved plan of that project as a new project; without
 * one it has a plan made of the goal, which then waits for its owner.
 */
export const projectTarget: Target = {
  async check(context, { agent_id, target, execution_mode, model }) {
    if (target.id !== null && !(await findOwnProject(context, target.id)))
      throw invalidField('target.id', 'is not the id of a project')
    if (execution_mode !== 'auto')
      throw invalidField('execution_mode', 'must be auto, the mode in which tasks of projects run')
    if (model !== null) throw invalidField('model', 'must be null: the tasks use the models of their agents')
    if (agent_id !== null) await namedEnabledAgent(context, agent_id, 'agent_id')
    return { agent_id, id: target.id }
  },

  async start(context, job, run) {
    const { project, statements, events } =
      job.target.id === null ? await proposed(context, job, run) : await repeated(context, job, run)
    return {
      conversation_id: null,
      message_id: null,
      started_id: project.id,
      statements: [...storeProject(project), ...statements],
      events: [event('project.created', { project_id: project.id, name: project.name }), ...events],
    }
  },

  async outcome(context, { started_id }) {
    const project = started_id === null ? null : await findProject(context, started_id)
    if (!project) return { status: 'cancelled', error: 'Its project was deleted' }
    const { status, error } = project
    if (status === 'running') return null
    if (status === 'pending') return proposalOutcome(context, project)
    const tasks = await listTasks(context, project.id)
    const result = { ...costOf(tasks), output: reportOf(project, tasks) }
    if (status === 'completed') return { status: 'succeeded', ...result }
    return status === 'failed'
      ? { status, error: error ?? 'The project failed', ...result }
      : { status, error: 'Its project was cancelled', ...result }
  },

  async subjects(context, { started_id }) {
    if (started_id === null) return []
    return [started_id, ...(await listTasks(context, started_id)).map(({ id }) => id)]
  },

  async stop(context, { started_id }) {
    const project = started_id === null ? null : await findProject(context, started_id)
    if (project?.status !== 'pending' && project?.status !== 'running') return true
    try {
      await cancelProject(context, project.id)
    } catch (thrown) {
      // It ended in the meantime.
      if (!(thrown instanceof Fault)) throw thrown
    }
    return true
  },
}

type Starting = Parameters<Target['start']>[2]

/** A copy of the job's project, to be started at once: its plan has been approved. */
async function repeated(context: Context, job: StartingJob, run: Starting) {
  const source = await requireProject(context, job.target.id ?? '')
  const plan = await findPlan(context, source.id)
  if (plan?.status !== 'approved')
    throw conflict(`The plan of its project ${source.name} is not approved; approve it first`)
  await requireFolder(context, source)
  const limit = job.budget?.run_usd ?? Number.POSITIVE_INFINITY
  const project_usd = Math.min(source.budget.project_usd ?? Number.POSITIVE_INFINITY, limit)
  const date = new Date(context.clock.now()).toISOString().slice(0, 10)
  const copied = copyOf(context, source, {
    plan: await currentPlan(context, plan),
    name: `${source.name.slice(0, 180)} ${date}`,
  })
  const project: Project = {
    ...copied.project,
    agent_id: job.agent_id ?? source.agent_id,
    budget: { ...source.budget, project_usd: Number.isFinite(project_usd) ? project_usd : null },
    job_id: job.id,
    run_id: run.id,
  }
  const [starting, events = []] = startOf(context, project)
  return { project, statements: [...copied.plan, ...starting], events }
}

/** A new project from the goal, whose plan is made next. */
async function proposed(context: Context, job: StartingJob, run: Starting) {
  const input = run.trigger === 'chain' || run.trigger === 'retry' ? await chainInput(context, run.id) : null
  const wish = NewProject.parse({
    name: job.name,
    description: input ? `${job.goal}\n\n${input.text}` : job.goal,
    agent_id: job.agent_id,
    budget: { project_usd: job.budget?.run_usd ?? null },
  })
  const trust = input?.tainted ? 'external' : job.trust
  const project = { ...(await draftProject(context, wish, trust)), job_id: job.id, run_id: run.id }
  const statements = [planningWork(context, project, { mode: 'generate' }).statement]
  return { project, statements, events: [] }
}

/** A proposal has succeeded when its plan is made: its owner may take days to approve it. */
async function proposalOutcome(context: Context, project: Project): Promise<RunOutcome | null> {
  if (await planningJob(context, project.id)) return null
  if (project.error !== null) return { status: 'failed', error: project.error }
  return {
    status: 'succeeded',
    output: `The plan of "${project.name}" waits for your approval: /projects/${project.id}`,
  }
}

function costOf(tasks: readonly StoredTask[]) {
  const sum = (pick: (task: StoredTask) => number) => sumOf(tasks, pick)
  return {
    input_tokens: sum(({ input_tokens }) => input_tokens),
    output_tokens: sum(({ output_tokens }) => output_tokens),
    cost_usd: sum(({ cost_usd }) => cost_usd),
  }
}

/** Characters of the report of a run. */
const maxReport = 20_000

/** The reports of the tasks on whose results no other task depends. */
function reportOf({ id, name }: Project, tasks: readonly StoredTask[]): string {
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on))
  const reports = tasks
    .filter((task) => task.status === 'completed' && !needed.has(task.id))
    .map(({ title, outputs }) => `## ${title}\n\n${outputs.find(({ kind }) => kind === 'text')?.value ?? ''}`)
  return cut([`${name}: /projects/${id}`, ...reports].join('\n\n'), maxReport).text
}
