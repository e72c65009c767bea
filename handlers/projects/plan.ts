import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { answerTask } from '../../runtime/projects/blocks.ts'
import { listPlans } from '../../runtime/projects/plan-store.ts'
import { requestPlan } from '../../runtime/projects/planning.ts'
import { requireProject, requireShownProject, showPhases, showPlanOf } from '../../runtime/projects/projects.ts'
import {
  NewPhase,
  NewTask,
  Phase,
  Plan,
  PlanningJob,
  ShownPlan,
  Task,
  TaskAnswer,
  TaskChanges,
} from '../../runtime/projects/schema.ts'
import { listTasks, publicTask } from '../../runtime/projects/task-store.ts'
import {
  addPhase,
  addTask,
  approveNextPhase,
  changeTask,
  requireTask,
  retryTask,
  retryTasks,
  skipTask,
} from '../../runtime/projects/tasks.ts'
import { reference } from '../../runtime/references.ts'

const projects = { path: '/api/projects' } as const

const Note = z.string().trim().min(1).max(5_000)

const Queued = z.object({ job: PlanningJob, plan: Plan.nullable() })

export const showPlan = endpoint('GET /api/projects/{id}/plan', {
  summary: 'Get the current plan',
  returns: ShownPlan,
  run: async ({ params }, context) => showPlanOf(context, await requireShownProject(context, params.id)),
})

export const versions = endpoint('GET /api/projects/{id}/plans', {
  summary: 'List the versions of the plan, newest first',
  returns: z.object({ plans: z.array(Plan), count: z.int() }),
  async run({ params }, context) {
    await requireShownProject(context, params.id)
    const plans = await listPlans(context, params.id)
    return { plans, count: plans.length }
  },
})

export const generatePlan = verbOf(projects, 'generate-plan', {
  summary: 'Generate the first plan; the event stream reports it',
  returns: Queued,
  status: 202,
  run: async (context, id) => ({ job: await requestPlan(context, id, { mode: 'generate' }), plan: null }),
})

export const regeneratePlan = verbOf(projects, 'regenerate-plan', {
  summary: 'Replace the plan with a new one; the project becomes pending',
  body: z.object({ instructions: z.string().trim().max(10_000).optional() }),
  body_optional: true,
  returns: Queued,
  status: 202,
  async run(context, id, body) {
    const job = await requestPlan(context, id, { mode: 'regenerate', instructions: body.instructions })
    return { job, plan: null }
  },
})

export const refinePlan = verbOf(projects, 'refine-plan', {
  summary: 'Change the plan as instructed; completed tasks that remain keep their results',
  body: z.object({
    instructions: z.string().trim().min(1).max(10_000),
    task_ids: z.array(reference('task')).max(500).optional(),
  }),
  returns: Queued,
  status: 202,
  async run(context, id, body) {
    const job = await requestPlan(context, id, { mode: 'refine', ...body })
    return { job, plan: null }
  },
})

export const phases = endpoint('GET /api/projects/{id}/phases', {
  summary: 'List the phases with their tasks',
  returns: z.object({ phases: z.array(Phase), count: z.int() }),
  async run({ params }, context) {
    const project = await requireShownProject(context, params.id)
    const phases = await showPhases(context, project, await listTasks(context, params.id))
    return { phases, count: phases.length }
  },
})

export const createPhase = verbOf(projects, 'phases', {
  summary: 'Add a phase',
  body: NewPhase,
  returns: Phase,
  status: 201,
  run: addPhase,
})

export const approvePhase = endpoint('POST /api/projects/{id}/phases/{phase_id}/approve', {
  summary: 'Approve a phase',
  access: 'approve',
  returns: z.object({ phases: z.array(Phase) }),
  run: ({ params }, context) => approveNextPhase(context, params.id, params.phase_id),
})

export const tasks = endpoint('GET /api/projects/{id}/tasks', {
  summary: 'List the tasks with their status and outputs',
  returns: z.object({ tasks: z.array(Task), count: z.int() }),
  async run({ params }, context) {
    await requireShownProject(context, params.id)
    const tasks = await listTasks(context, params.id)
    return { tasks: tasks.map(publicTask), count: tasks.length }
  },
})

export const createTask = verbOf(projects, 'tasks', {
  summary: 'Add a task',
  body: NewTask,
  returns: Task,
  status: 201,
  run: addTask,
})

export const showTask = endpoint('GET /api/projects/{id}/tasks/{task_id}', {
  summary: 'Get a task',
  returns: Task,
  async run({ params }, context) {
    return publicTask(await requireTask(context, await requireShownProject(context, params.id), params.task_id))
  },
})

export const updateTask = endpoint('PUT /api/projects/{id}/tasks/{task_id}', {
  summary: 'Change a task that has not started or has failed',
  body: TaskChanges,
  before: async ({ params }, context) =>
    requireTask(context, await requireShownProject(context, params.id), params.task_id),
  returns: Task,
  run: ({ params, body }, context) => changeTask(context, params.id, { task_id: params.task_id, changes: body }),
})

export const retry = endpoint('POST /api/projects/{id}/tasks/{task_id}/retry', {
  summary: 'Retry a failed task, with a note for its agent if there is one',
  body: z.object({ note: Note.optional() }),
  body_optional: true,
  returns: Task,
  run: ({ params, body }, context) => retryTask(context, params.id, { task_id: params.task_id, ...body }),
})

export const retryFailed = verbOf(projects, 'retry', {
  summary: 'Retry all failed tasks, with a note for their agents if there is one',
  body: z.object({ note: Note.optional() }),
  body_optional: true,
  returns: z.object({ tasks: z.array(Task) }),
  run: retryTasks,
})

export const skip = endpoint('POST /api/projects/{id}/tasks/{task_id}/skip', {
  summary: 'Skip a task',
  returns: Task,
  run: ({ params }, context) => skipTask(context, params.id, params.task_id),
})

export const answer = endpoint('POST /api/projects/{id}/tasks/{task_id}/answer', {
  summary: 'Answer the question of a blocked task',
  body: z.object({ answer: TaskAnswer }),
  returns: Task,
  async run({ params, body }, context) {
    const project = await requireProject(context, params.id)
    const task = await requireTask(context, project, params.task_id)
    return answerTask(context, project, { task, answer: body.answer })
  },
})

export const dag = endpoint('GET /api/projects/{id}/dag', {
  summary: 'Get the tasks as a graph',
  returns: z.object({
    nodes: z.array(Task.pick({ id: true, title: true, status: true, phase_id: true, priority: true })),
    edges: z.array(z.object({ from: z.string(), to: z.string() })),
  }),
  async run({ params }, context) {
    await requireShownProject(context, params.id)
    const tasks = await listTasks(context, params.id)
    return {
      nodes: tasks.map(({ id, title, status, phase_id, priority }) => ({
        id,
        title,
        status,
        phase_id,
        priority,
      })),
      edges: tasks.flatMap(({ id, depends_on }) => depends_on.map((from) => ({ from, to: id }))),
    }
  },
})
