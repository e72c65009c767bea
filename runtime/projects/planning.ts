import { workingAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault } from '../fault.ts'
import { newId } from '../id.ts'
import { offlineProvider } from '../models/models.ts'
import { ModelError } from '../ports/models.ts'
import { askStructured, chooseModel, type ModelAccess, UnusableAnswer } from '../providers/index.ts'
import { iso } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { hasUntrusted, untrustedRule } from '../untrusted.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { guardOnlyWork } from '../work/select.ts'
import { insertWork } from '../work/store.ts'
import { goalOf } from './brief.ts'
import { planKind } from './kinds.ts'
import {
  type PlanDraft,
  PlanDraft as PlanDraftSchema,
  planProblems,
  planWeaknesses,
  withoutSharedFiles,
} from './plan-draft.ts'
import { currentPlan, planStatements } from './plan-rows.ts'
import { deletePhases, findPlan, listPlans, supersedePlans } from './plan-store.ts'
import { plannerBrief, plannerInstructions } from './planner-brief.ts'
import { findProject, moveProject, noteError } from './project-store.ts'
import { refusePlanning, reportEnd, requireProject, startOf, stopWork } from './projects.ts'
import type { Plan, Project } from './schema.ts'
import { maxWaitOf, spenderOf } from './start-task.ts'
import { isActive, isDone } from './states.ts'
import { rulesOf, type StrategyRules } from './strategy.ts'
import { deleteTasks, listTasks, type StoredTask } from './task-store.ts'

/** `generate` a first plan, `regenerate` it from the description, or `refine` the current one. */
export interface PlanRequest {
  mode: 'generate' | 'regenerate' | 'refine'
  instructions?: string | undefined
  /** The tasks to change; absent for all. */
  task_ids?: string[] | undefined
}

/** The payload of the work: with the status that the project had, which must not change meanwhile. */
interface Planning extends PlanRequest {
  status: Project['status']
}

/** Queues the making of a plan; 409 if the project is not in the right state. Returns the unit of work. */
export async function requestPlan(context: Context, id: string, request: PlanRequest) {
  const project = await requireProject(context, id)
  const plan = await findPlan(context, id)
  if (request.mode === 'generate' && plan)
    throw conflict('The project already has a plan; use regenerate-plan or refine-plan')
  if (request.mode !== 'generate' && !plan) throw conflict('The project has no plan yet; use generate-plan')
  if (request.mode === 'refine' && project.status === 'running')
    throw conflict('The project is running; cancel it, or wait until it has ended')
  if (project.status === 'cancelled' && request.mode === 'generate')
    throw conflict('The project was cancelled; duplicate it to start again')
  await refusePlanning(context, id)
  const work = planningWork(context, project, request)
  const job = { id: work.id, status: 'queued' as const }
  // Two requests at once: the second one fails.
  await context.commit(
    [
      work.statement,
      guardOnlyWork(planKind, work.id, 'A plan is being made; wait for it', id),
      noteError(id, null, iso(context.clock.now())),
    ],
    [event('project.updated', { project_id: id })],
    { answer: { job, plan: null } },
  )
  return job
}

export const planningWork = (context: Context, { id, status }: Project, request: PlanRequest) =>
  insertWork(context, { kind: planKind, subject: id, payload: { ...request, status } })

/** Makes one version of a plan. A failure leaves the project as it was, with the reason in `error`. */
export const projectPlan: WorkKind = {
  kind: planKind,
  max_running: 4,
  timeout_seconds: 600,
  after_crash: 'retry',
  retry: { max_attempts: 2, delay_seconds: () => 1 },
  run: plan,
  async ended(work, status, context) {
    const project = status === 'cancelled' ? null : await findProject(context, work.subject)
    return project ? failure(context, project, 'Planning was interrupted or timed out; try again') : {}
  },
}

async function plan(work: Work, context: Context): Promise<WorkOutcome> {
  const project = await findProject(context, work.subject)
  const planning = work.payload as unknown as Planning
  if (!project) return { status: 'cancelled' }
  try {
    if (project.status !== planning.status) throw conflict(changed)
    return { status: 'succeeded', ...(await newVersion(context, project, planning)) }
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    if (thrown instanceof ModelError || thrown instanceof UnusableAnswer || thrown instanceof Fault)
      return { status: 'failed', ...failure(context, project, reasonOf(thrown)) }
    throw thrown
  }
}

const changed = 'the project has changed meanwhile; try again'

const reasonOf = (thrown: Error): string =>
  thrown instanceof UnusableAnswer
    ? `The model did not return a plan that can be used: ${thrown.message}. Try again, choose another model, or describe the project more exactly.`
    : `No plan could be made: ${thrown.message}`

const failure = (context: Context, project: Project, error: string) => ({
  statements: [noteError(project.id, error, iso(context.clock.now())), ...reportEnd(context, project)],
  events: [event('project.updated', { project_id: project.id })],
})

async function newVersion(context: Context, project: Project, request: PlanRequest) {
  const agent = await workingAgent(context, project.agent_id)
  const access = await chooseModel(context, null, agent.model)
  if (request.mode === 'refine' && access.provider === offlineProvider)
    throw conflict('The offline model cannot change a plan; edit its tasks, or add a model provider in the settings')
  const rules = await rulesOf(context, project.strategy)
  const stored = await findPlan(context, project.id)
  const current = stored && (await currentPlan(context, stored))
  const before = await listTasks(context, project.id)
  const brief = access.provider === offlineProvider ? null : await plannerBrief(context, project, agent)
  let isFirst = true
  const { value: answer, made_by } = await askStructured(context, {
    access,
    name: 'submit_plan',
    description: 'Submits the plan of the project.',
    schema: PlanDraftSchema,
    problems: (draft) => {
      const weaknesses =
        brief && isFirst
          ? planWeaknesses(
              draft,
              brief.agents.map(({ name }) => name),
            )
          : []
      isFirst = false
      return [...planProblems(draft), ...weaknesses]
    },
    system: [
      plannerInstructions(project, rules),
      ...(brief?.tainted || project.trust === 'external' || hasUntrusted(project.description) ? [untrustedRule] : []),
    ].join('\n'),
    // The offline model splits the text into steps.
    text: brief
      ? [requestText(project, request, { current, tasks: before }), brief.text].join('\n\n')
      : [project.description.trim() || project.name, request.instructions].filter(Boolean).join('\n\n'),
    spender: spenderOf(project, agent, `plan:${project.id}`),
    agent,
    max_wait: maxWaitOf(project),
  })
  const value = withoutSharedFiles(answer)
  const latest = await findProject(context, project.id)
  if (latest?.status !== project.status) throw conflict(changed)
  const tasks = await listTasks(context, project.id)
  const versions = await listPlans(context, project.id)
  const kept = request.mode === 'refine' ? endedTasks(tasks, value) : new Map<string, StoredTask>()
  const version: Plan = {
    ...toPlan(context, { project, draft: value, kept, access, rules, agents: brief?.agents ?? [] }),
    version: (versions[0]?.version ?? 0) + 1,
    made_by,
    tainted: brief?.tainted ?? false,
    instructions: request.instructions ?? null,
  }
  const now = iso(context.clock.now())
  const [starting, started] = project.auto_approve_plan ? startOf(context, project) : [[], []]
  return {
    statements: [
      supersedePlans(project.id),
      deletePhases(project.id),
      deleteTasks(project.id),
      ...planStatements(context, version, kept),
      moveProject(project.id, { from: [project.status], to: 'pending', now }, `No plan was made: ${changed}`),
      ...starting,
      stopWork(context, project.id, tasks.filter(isActive)),
      ...(project.auto_approve_plan ? [] : reportEnd(context, project)),
    ],
    events: [
      event('plan.updated', { project_id: project.id, plan_id: version.id, version: version.version }),
      ...(project.auto_approve_plan
        ? (started ?? [])
        : [
            event('project.updated', { project_id: project.id }),
            event('approval.required', { project_id: project.id, phase_id: null }),
          ]),
    ],
  }
}

function requestText(
  project: Project,
  { mode, instructions, task_ids }: PlanRequest,
  { current, tasks }: { current: Plan | null; tasks: readonly StoredTask[] },
): string {
  const { name } = project
  const goal = goalOf(project, Number.POSITIVE_INFINITY)
  if (mode !== 'refine' || !current)
    return [
      `Goal of the project "${name}", as its owner wrote it:\n${goal}`,
      ...(instructions ? [`What the owner adds:\n${instructions}`] : []),
    ].join('\n\n')
  const plan = {
    summary: current.summary,
    assumptions: current.assumptions,
    phases: current.phases.map((phase) => ({
      name: phase.name,
      goal: phase.goal,
      tasks: phase.tasks.map(({ id, ...task }) => ({
        ref: id,
        ...task,
        status: tasks.find((one) => one.id === id)?.status,
      })),
    })),
  }
  return [
    `The project "${name}": ${goal}`,
    `Its current plan: ${JSON.stringify(plan)}`,
    'Return the whole plan again with the changes below. Keep the ref of every task that stays, and leave completed tasks as they are.',
    ...(task_ids?.length ? [`Change only the tasks ${task_ids.join(', ')}.`] : []),
    `Changes: ${instructions ?? ''}`,
  ].join('\n\n')
}

/** Tasks of the old plan that have ended and are still in the new one. */
function endedTasks(tasks: readonly StoredTask[], draft: PlanDraft): Map<string, StoredTask> {
  const refs = new Set(draft.phases.flatMap((phase) => phase.tasks.map(({ ref }) => ref)))
  const kept = tasks.filter((task) => refs.has(task.id) && isDone(task))
  return new Map(kept.map((task) => [task.id, task]))
}

interface Draft {
  project: Project
  draft: PlanDraft
  kept: ReadonlyMap<string, StoredTask>
  access: ModelAccess
  rules: StrategyRules
  agents: readonly Agent[]
}

function toPlan(
  context: Context,
  { project, draft, kept, access, rules, agents }: Draft,
): Omit<Plan, 'version' | 'made_by' | 'tainted' | 'instructions'> {
  const now = context.clock.now()
  const refs = draft.phases.flatMap((phase) => phase.tasks.map(({ ref }) => ref))
  const ids = new Map(refs.map((ref) => [ref, kept.has(ref) ? ref : newId('task', now)]))
  const open = refs.length - kept.size
  const tokens = access.provider === 'offline' ? 0 : open * rules.tokens_per_task
  return {
    id: newId('plan', now),
    project_id: project.id,
    status: 'pending_approval',
    summary: draft.summary,
    strategy: project.strategy,
    assumptions: draft.assumptions,
    phases: draft.phases.map((phase, order) => ({
      id: newId('phase', now),
      order,
      name: phase.name,
      goal: phase.goal,
      tasks: phase.tasks.map(({ ref, depends_on, agent, ...task }) => ({
        ...task,
        agent_id: agents.find(({ name }) => name === agent)?.id ?? null,
        id: ids.get(ref) ?? ref,
        depends_on: depends_on.map((other) => ids.get(other) ?? other),
      })),
    })),
    estimate: {
      tasks: open,
      tokens,
      cost_usd: access.priced ? access.cost({ input: tokens * 0.8, output: tokens * 0.2 }) : null,
      minutes: draft.minutes ?? Math.ceil((open * 2) / rules.width),
    },
    created_at: iso(now),
    approved_at: null,
  }
}
