import type { Api } from '../../../handlers/index.ts'
import { apiCommand, type Client, profileTimes } from './client.ts'
import { Failure, print } from './command.ts'
import { printStream } from './derived/answer.ts'
import { idAt } from './derived/find.ts'
import { recordOf } from './derived/show.ts'
import { jsonOf } from './derived/values.ts'
import { untilEvent } from './events.ts'

const addJob = apiCommand({
  usage: 'jobs add <text>',
  what: 'Schedule a job: when it runs, a colon, and what it does',
  options: {
    name: { value: 'name', what: 'Name (default: the beginning of what it does)' },
    agent: { value: 'id', what: 'Agent that does it' },
    deliver: {
      value: 'channel',
      what: 'Where the result goes: none, chat, email or the id of a channel',
      default: 'chat',
    },
    timezone: { value: 'zone', what: 'Time zone of the schedule (default: that of the profile)' },
  },
  examples: ['job add "every weekday at 9: tell me what is new"', 'job add "in 20 minutes: remind me of the tea"'],
  async run([sentence = ''], { timezone, name, agent: agent_id, deliver, ...options }, client) {
    const { text, goal } = splitSchedule(sentence)
    const parsed = await client.post('/api/scheduler/parse-nl', { body: { text, timezone } })
    const { schedule, human_readable, warnings } = parsed
    if (!schedule) throw new Failure(warnings.join('\n'))
    const delivery = { channel: deliver }
    const body = { name: name ?? goal.slice(0, 80), goal, schedule, agent_id, delivery }
    const job = await client.post('/api/scheduler/jobs', { body })
    for (const warning of warnings) process.stderr.write(`${warning}\n`)
    const next = job.next_run_at && `; next ${(await profileTimes(client))(job.next_run_at)}`
    print(options, job, `${job.id}  ${human_readable}${next ?? ''}`)
  },
})

/** Splits at the first colon that is not part of a time such as 9:30. */
function splitSchedule(words: string): { text: string; goal: string } {
  const [, text = '', goal = ''] = /^(.*?\S)\s*:(?!\d\d(?:\D|$))\s*(.*)$/s.exec(words) ?? []
  if (text && goal) return { text, goal }
  const example = 'hearthd job add "every weekday at 9: tell me what is new"'
  throw new Failure(`Write when it runs, a colon, and what it does: ${example}`, { name: 'usage' })
}

const runJob = apiCommand({
  usage: 'jobs run <job>',
  what: 'Run a job now and wait for its result',
  options: { detach: { short: 'd', what: 'Do not wait' } },
  async run([name = ''], options, client) {
    const id = await idAt(client, '/api/scheduler/jobs/{id}', name)
    const { run_id } = await client.post('/api/scheduler/jobs/{id}/trigger', { params: { id } })
    const read = () => client.get('/api/scheduler/jobs/{id}/runs/{run_id}', { params: { id, run_id } })
    const run = options.detach ? await read() : await ended(client, read)
    print(options, run, run.output ?? run.error ?? `${run.id}: ${run.status}`)
    return options.detach || run.status === 'succeeded' ? 0 : 1
  },
})

/** The thing when it is neither queued nor running. */
const ended = <Thing extends { status: string }>(client: Client, read: () => Promise<Thing>): Promise<Thing> =>
  untilEvent(client, async () => {
    const thing = await read()
    return ['queued', 'running'].includes(thing.status) ? undefined : thing
  })

const newProject = apiCommand({
  usage: 'projects new <goal>',
  what: 'Create a project and show its plan; nothing starts before it is approved',
  options: {
    name: { value: 'name', what: 'Name (default: the beginning of the goal)' },
    strategy: { value: 'name', what: 'performance, balanced, economy or thorough', default: 'performance' },
    agent: { value: 'id', what: 'Agent that works on it' },
    approve: { what: 'Start as soon as the plan is made' },
  },
  examples: ['project new "1. Collect recipes for scones 2. Write them to scones.md"'],
  async run([goal = ''], { name, strategy, agent: agent_id, approve = false, ...options }, client) {
    const body: Api['POST']['/api/projects']['body'] = {
      name: name ?? goal.split('\n')[0]?.slice(0, 80) ?? goal,
      description: goal,
      strategy: strategy as 'performance',
      auto_approve_plan: approve,
      agent_id,
    }
    const { id } = await client.post('/api/projects', { body })
    const params = { id }
    await client.post('/api/projects/{id}/generate-plan', { params })
    const planned = await untilEvent(client, async () => {
      const project = await client.get('/api/projects/{id}', { params })
      return project.plan === null && project.error === null ? undefined : project
    })
    if (planned.error) throw new Failure(`${id}: ${planned.error}`)
    const { status, tasks, plan } = planned
    const summary = { id, status, summary: plan?.summary, tasks: tasks.map(({ title }) => ({ title })) }
    const next = approve ? '' : `\n\nStart it: hearthd project approve ${id}`
    print(options, planned, recordOf(summary, (text) => text) + next)
  },
})

const runWorkflow = apiCommand({
  usage: 'workflows run <workflow>',
  what: 'Run a workflow and wait for its output',
  options: {
    input: { value: 'json', what: 'Its input: JSON, @file, or - for the standard input' },
    detach: { short: 'd', what: 'Do not wait' },
  },
  examples: [`workflow run Calculate --input '{"numbers": [1, 2]}'`],
  async run([name = ''], { input, detach, ...options }, client) {
    const id = await idAt(client, '/api/workflows/{id}', name)
    const body = input === undefined ? {} : { input: await jsonOf('input', input) }
    const { execution_id } = await client.post('/api/workflows/{id}/execute', { params: { id }, body })
    const read = () => client.get('/api/workflows/executions/{id}', { params: { id: execution_id } })
    const execution = detach ? await read() : await ended(client, read)
    const { status, output, error, waiting_for } = execution
    const summary = { id: execution_id, status, error, waiting_for }
    const text = status === 'succeeded' ? JSON.stringify(output, null, 2) : recordOf(summary, (at) => at)
    print(options, execution, text)
    return detach || status === 'succeeded' || status === 'waiting' ? 0 : 1
  },
})

const workflowLogs = apiCommand({
  usage: 'workflows logs <execution>',
  what: 'Show what the nodes of an execution did (execution: id, or the name of a workflow for its latest)',
  options: { follow: { short: 'f', what: 'Keep printing until it has ended' } },
  async run([nameOrId = ''], options, client) {
    const id = /^exec_[0-9a-z]+$/.test(nameOrId) ? nameOrId : await latestExecution(client, nameOrId)
    const params = { id }
    return printStream(client, await client.get('/api/workflows/executions/{id}/events', { params }), options)
  },
})

async function latestExecution(client: Client, workflow: string): Promise<string> {
  const id = await idAt(client, '/api/workflows/{id}', workflow)
  const input = { params: { id }, query: { limit: 1 } }
  const [latest] = (await client.get('/api/workflows/{id}/executions', input)).executions
  if (!latest) throw new Failure(`${workflow} has not run yet`, { name: 'not_found' })
  return latest.id
}

const installFeature = apiCommand({
  usage: 'features install <pack>',
  what: 'Install a pack into the running daemon and wait until it is done',
  examples: ['features install memory-visualization'],
  async run([id = ''], options, client) {
    await client.post('/api/features/packs/{id}/install', { params: { id } })
    let printed = ''
    const job = await untilEvent(client, async () => {
      const { job } = await client.get('/api/features/packs/{id}/install', { params: { id } })
      if (!job) throw new Failure('The daemon has no record of the installation')
      const { phase, done, total } = job.progress
      const line = total > 0 ? `${phase} ${done}/${total}` : phase
      // The standard output is for the result.
      if (line !== printed && !options.json) process.stderr.write(`${line}\n`)
      printed = line
      return job.status === 'running' ? undefined : job
    })
    const done = job.result?.changed === false ? 'was already installed' : 'is installed'
    print(options, job, job.error ? `${id} was not installed: ${job.error}` : `${id} ${done}`)
    return job.status === 'done' ? 0 : 1
  },
})

export const commands = [addJob, runJob, newProject, runWorkflow, workflowLogs, installFeature]
