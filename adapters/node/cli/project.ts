import { setTimeout as sleep } from 'node:timers/promises'
import type { ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { apiCommand, type Client, onlyOne } from './client.ts'
import { Failure, plain, print } from './command.ts'

/** Milliseconds between two requests for the state of a project. */
const pollEvery = 500

const create = apiCommand({
  usage: 'project new <goal>',
  what: 'Create a project and show its plan; nothing starts before it is approved',
  options: {
    name: { value: 'name', what: 'Name (default: the beginning of the goal)' },
    strategy: { value: 'name', what: 'performance, balanced, economy or thorough', default: 'performance' },
    agent: { value: 'id', what: 'Agent that works on it' },
    approve: { what: 'Start as soon as the plan is made' },
  },
  examples: ['project new "1. Collect recipes for scones 2. Write them to scones.md"'],
  async run([goal = ''], { name, strategy, agent: agent_id, approve = false, ...options }, client) {
    const body = {
      name: name ?? goal.split('\n')[0]?.slice(0, 80) ?? goal,
      description: goal,
      strategy: strategy as 'performance',
      auto_approve_plan: approve,
      agent_id,
    }
    const { id } = await client.post('/api/projects', { body })
    await client.post('/api/projects/{id}/generate-plan', { params: { id } })
    const planned = await until(client, id, ({ plan, error }) => plan !== null || error !== null)
    if (planned.error) throw new Failure(`${id}: ${planned.error}`)
    const next = approve ? '' : `\n\nStart it: hearthd project approve ${id}`
    print(options, planned, `${describe(planned)}${next}`)
  },
})

const list = apiCommand({
  usage: 'project ls',
  what: 'List the projects, newest first',
  async run(_, options, client) {
    const found = await client.get('/api/projects', { query: { limit: 200 } })
    const rows = found.projects.map(({ id, status, name }) => `${id.padEnd(32)} ${status.padEnd(10)} ${name}`)
    print(options, found, rows.join('\n') || 'No projects')
  },
})

const show = apiCommand({
  usage: 'project show <project>',
  what: 'Show a project with its tasks (project: id or name)',
  async run([name = ''], options, client) {
    const project = await findProject(client, name)
    print(options, project, describe(project))
  },
})

const verbs = [
  ['approve', 'Approve the plan and start the project (project: id or name)'],
  ['cancel', 'Cancel a project; completed tasks remain (project: id or name)'],
] as const

const controls = verbs.map(([verb, what]) =>
  apiCommand({
    usage: `project ${verb} <project>`,
    what,
    async run([name = ''], options, client) {
      const { id, name: title } = await findProject(client, name)
      const answer = await client.post(`/api/projects/{id}/${verb}`, { params: { id } })
      print(options, answer, `${title} is ${answer.status}`)
    },
  }),
)

const logs = apiCommand({
  usage: 'project logs <project>',
  what: 'Show the results of a project, task by task (project: id or name)',
  options: {
    follow: { short: 'f', what: 'Keep printing until the project has ended' },
    json: { what: 'Print each task as a line of JSON' },
  },
  async run([name = ''], options, client) {
    const { id } = await findProject(client, name)
    const printed = new Map<string, string>()
    for (;;) {
      const project = await client.get('/api/projects/{id}', { params: { id } })
      for (const task of project.tasks) printChange(task, printed, options.json)
      if (!options.follow || !['pending', 'running'].includes(project.status)) break
      await sleep(pollEvery)
    }
  },
})

function printChange(task: Task, printed: Map<string, string>, json: boolean | undefined): void {
  const state = `${task.status} ${task.attempts}`
  if (task.status === 'pending' || printed.get(task.id) === state) return
  printed.set(task.id, state)
  process.stdout.write(`${json ? JSON.stringify(task) : plain(resultOf(task))}\n`)
}

const resultOf = ({ status, title, error, block, outputs }: Task): string =>
  [
    `${status.padEnd(16)} ${title}`,
    ...(error ? [`  ${error}`] : []),
    ...(status === 'blocked' && block ? [`  ${block.question}`] : []),
    ...outputs.map(({ kind, name, value }) =>
      kind === 'text' ? value.replace(/^/gm, '  ') : `  ${kind}: ${name}`,
    ),
  ].join('\n')

const describe = ({ id, name, status, plan, phases, tasks, error }: ProjectDetails): string =>
  [
    `${name}  ${status}  ${id}`,
    ...(error ? [error] : []),
    ...(plan ? [plan.summary, estimateOf(plan.estimate)] : []),
    ...phases.flatMap((phase) => [
      `\n${phase.name}`,
      ...tasks
        .filter(({ phase_id }) => phase_id === phase.id)
        .map((task) => `  ${task.status.padEnd(16)} ${task.title}`),
    ]),
  ].join('\n')

const estimateOf = ({ tasks, tokens, cost_usd }: NonNullable<ProjectDetails['plan']>['estimate']): string => {
  const cost = cost_usd === null ? 'unknown cost' : `about $${cost_usd.toFixed(2)}`
  return `${tasks} ${tasks === 1 ? 'task' : 'tasks'}, about ${tokens} tokens, ${cost}`
}

async function until(
  client: Client,
  id: string,
  done: (project: ProjectDetails) => boolean,
): Promise<ProjectDetails> {
  for (;;) {
    const project = await client.get('/api/projects/{id}', { params: { id } })
    if (done(project)) return project
    await sleep(pollEvery)
  }
}

/** The project with this id, or the only one with this name. */
async function findProject(client: Client, wanted: string): Promise<ProjectDetails> {
  if (/^proj_[0-9a-z]+$/.test(wanted)) return client.get('/api/projects/{id}', { params: { id: wanted } })
  const { projects } = await client.get('/api/projects', { query: { search: wanted, limit: 200 } })
  const { id } = onlyOne('project', wanted, projects)
  return client.get('/api/projects/{id}', { params: { id } })
}

export const commands = [create, list, show, ...controls, logs]
