import { z } from 'zod'
import { isShared } from '../auth/sharing.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool, trustOf } from '../tools/tool.ts'
import { answerTask } from './blocks.ts'
import { requestPlan } from './planning.ts'
import { listProjects } from './project-store.ts'
import { addProject, requireProject, requireShownProject, showProject } from './projects.ts'
import { NewProject, ProjectChanges, type ProjectDetails, TaskAnswer } from './schema.ts'
import { requireTask } from './tasks.ts'

const Input = z.object({
  action: z.enum(['create', 'status', 'answer']),
  name: ProjectChanges.shape.name.describe('For create: the title; for status: which project'),
  description: ProjectChanges.shape.description.describe('For create: the goal and everything that matters'),
  project_id: z.string().optional().describe('For status and answer'),
  task_id: z.string().optional().describe('For answer: the blocked task'),
  answer: TaskAnswer.optional(),
})
type Input = z.output<typeof Input>

/** Projects of the owner. It starts none: a person approves the plan. */
export const project = tool({
  name: 'project',
  description:
    'Long work that is planned, approved by the person and then done in parallel by agents. create proposes a project and ' +
    'has its plan made; nothing starts before the person approves it. status lists projects or shows one with its tasks; ' +
    'answer passes on what the person said to a blocked task. Use it for goals of many steps, not for one task.',
  input: Input,
  effect: ({ action }) => (({ create: 'propose', status: 'read', answer: 'write' }) as const)[action],
  risk: ({ action }) => (action === 'status' ? 'low' : 'medium'),
  // Errors and questions of tasks may quote pages and files.
  untrusted: (output) => 'tasks' in (output as object),
  summary: ({ action, name, project_id }) =>
    ({
      create: `Propose the project ${clipped(name ?? 'Untitled', 100)}`,
      status: `Read the state of ${clipped(name ?? project_id ?? 'the projects', 100)}`,
      answer: 'Answer a task of a project',
    })[action],
  async run(input, scope) {
    if (input.action !== 'status' && scope.project_id !== null)
      throw new ToolError('This is a task of a project; it can neither create projects nor answer for the owner')
    return actions[input.action](input, scope)
  },
})

const actions: Record<Input['action'], (input: Input, scope: ToolScope) => Promise<object>> = {
  async create({ name, description }, scope) {
    const { context } = scope
    if (name === undefined) throw new ToolError('create needs `name`')
    const { id } = await addProject(context, NewProject.parse({ name, description }), trustOf(scope))
    await requestPlan(context, id, { mode: 'generate' })
    return {
      project_id: id,
      name,
      status: 'pending',
      next: `The plan is being made. The person approves it at /projects/${id}`,
    }
  },

  async status({ name: search, project_id }, { context }) {
    const filter = { sort_by: 'updated' as const, limit: 20, offset: 0, ...(search && { search }) }
    const page = await listProjects(context, filter)
    // What others have written is not the owner's statement.
    const projects = page.rows.filter((one) => !isShared(context, one))
    const only = project_id ?? (search && projects.length === 1 ? projects[0]?.id : undefined)
    if (only !== undefined) return overview(await showProject(context, await requireShownProject(context, only)))
    return { projects: projects.map(({ id, name, status, updated_at }) => ({ id, name, status, updated_at })) }
  },

  async answer({ project_id = '', task_id = '', answer }, { context }) {
    if (answer === undefined) throw new ToolError('answer needs `answer`')
    const owner = await requireProject(context, project_id)
    const task = await requireTask(context, owner, task_id)
    if (task.block?.kind === 'repeat') throw new ToolError(`The owner decides this at /projects/${owner.id}`)
    await answerTask(context, owner, { task, answer })
    return { answered: true }
  },
}

const overview = ({ id, name, status, error, plan, tasks }: ProjectDetails) => ({
  id,
  name,
  status,
  error,
  plan: plan?.summary ?? null,
  tasks: tasks.map((task) => ({
    id: task.id,
    title: task.title,
    status: task.status,
    error: task.error,
    waiting: task.waiting,
    question: task.status === 'blocked' ? (task.block?.question ?? null) : null,
  })),
})
