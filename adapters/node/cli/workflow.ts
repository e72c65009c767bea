import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionDetails, NodeRunSummary, Workflow } from '../../../runtime/workflows/schema.ts'
import { apiCommand, type Client, onlyOne } from './client.ts'
import { Failure, plain, print } from './command.ts'

/** Milliseconds between two requests for the state of an execution. */
const pollEvery = 500

const list = apiCommand({
  usage: 'workflow ls',
  what: 'List the workflows, the latest change first',
  async run(_, options, client) {
    const found = await client.get('/api/workflows', { query: { limit: 200 } })
    const rows = found.workflows.map(({ id, status, name }) => `${id.padEnd(32)} ${status.padEnd(9)} ${name}`)
    print(options, found, rows.join('\n') || 'No workflows')
  },
})

const show = apiCommand({
  usage: 'workflow show <workflow>',
  what: 'Show a workflow with its nodes (workflow: id or name)',
  async run([name = ''], options, client) {
    const workflow = await findWorkflow(client, name)
    print(options, workflow, describe(workflow))
  },
})

const run = apiCommand({
  usage: 'workflow run <workflow>',
  what: 'Run a workflow and show its output (workflow: id or name)',
  options: {
    input: { value: 'json', what: 'Its input as JSON' },
    detach: { what: 'Print the execution and do not wait' },
  },
  examples: [`workflow run Calculate --input '{"numbers": [1, 2]}'`],
  async run([name = ''], { input, detach, ...options }, client) {
    const { id } = await findWorkflow(client, name)
    const body = input === undefined ? {} : { input: parsed(input) }
    const started = await client.post('/api/workflows/{id}/execute', { params: { id }, body })
    if (detach) return print(options, started, started.execution_id)
    const done = await until(
      client,
      started.execution_id,
      ({ status }) => status !== 'queued' && status !== 'running',
    )
    print(options, done, result(done))
    return done.status === 'succeeded' || done.status === 'waiting' ? 0 : 1
  },
})

const logs = apiCommand({
  usage: 'workflow logs <execution>',
  what: 'Show what the nodes of an execution did (execution: id, or the name of a workflow for its latest)',
  options: {
    follow: { short: 'f', what: 'Keep printing until it has ended' },
    json: { what: 'Print each run of a node as a line of JSON' },
  },
  async run([wanted = ''], options, client) {
    const id = await findExecution(client, wanted)
    const printed = new Set<string>()
    for (;;) {
      const execution = await client.get('/api/workflows/executions/{id}', { params: { id } })
      for (const one of execution.node_runs) printRun(one, printed, options.json)
      if (!options.follow || execution.completed_at !== null) break
      await sleep(pollEvery)
    }
  },
})

const importFile = apiCommand({
  usage: 'workflow import <file>',
  what: 'Create a workflow from a file and list what could not be translated',
  options: { format: { value: 'name', what: 'native or n8n (default: by the content)' } },
  async run([file = ''], { format, ...options }, client) {
    const body = parsed(await contentOf(file)) as Record<string, unknown>
    const chosen = format ?? (body?.format === 'hearthd.workflow' ? 'native' : 'n8n')
    const query = { format: chosen as 'native' }
    const answer = await client.post('/api/workflows/import', { query, body })
    const { workflow, report } = answer
    const lines = [
      `${workflow.id}  ${workflow.name}`,
      ...report.placeholders.map(({ name, type, reason }) => `  placeholder  ${name} (${type}): ${reason}`),
      ...report.issues.map(
        ({ name, field, message }) => `  check        ${`${name} ${field}`.trim()} ${message}`,
      ),
    ]
    print(options, answer, lines.join('\n'))
  },
})

const exportFile = apiCommand({
  usage: 'workflow export <workflow> [file]',
  what: 'Write a workflow to a file, or print it (workflow: id or name)',
  async run([name = '', file], options, client) {
    const { id } = await findWorkflow(client, name)
    const definition = await client.get('/api/workflows/{id}/export', { params: { id } })
    const text = JSON.stringify(definition, null, 2)
    if (file === undefined) return print(options, definition, text)
    await writeFile(file, `${text}\n`)
    if (options.json) print(options, { id, file }, '')
  },
})

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (thrown) {
    throw new Failure(`Cannot read ${file}: ${(thrown as Error).message}`, { name: 'usage' })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Failure('This is not JSON', { name: 'usage' })
  }
}

const describe = ({ id, name, status, version, nodes, edges }: Workflow): string =>
  [
    `${name}  ${status}  version ${version}  ${id}`,
    ...nodes.map((node) => {
      const next = edges.filter(({ source }) => source === node.id).map(({ target }) => target)
      return `  ${node.id.padEnd(20)} ${node.type.padEnd(18)} ${next.length > 0 ? `→ ${next.join(', ')}` : ''}`.trimEnd()
    }),
  ].join('\n')

const result = ({ id, status, output, error, waiting_for }: ExecutionDetails): string =>
  [
    `${id} ${status}`,
    ...(error ? [`  ${error.node_id ?? ''} ${error.message}`] : []),
    ...waiting_for.map(({ node_id, message }) => `  ${node_id} waits: ${message}`),
    ...(status === 'succeeded' ? [JSON.stringify(output, null, 2)] : []),
  ].join('\n')

function printRun(run: NodeRunSummary, printed: Set<string>, json: boolean | undefined): void {
  const state = `${run.seq} ${run.status} ${run.attempt}`
  if (printed.has(state)) return
  printed.add(state)
  const error = run.error ? `  ${run.error.message}` : ''
  process.stdout.write(
    `${json ? JSON.stringify(run) : plain(`${run.status.padEnd(10)} ${run.node_id}${error}`)}\n`,
  )
}

async function until(
  client: Client,
  id: string,
  done: (execution: ExecutionDetails) => boolean,
): Promise<ExecutionDetails> {
  for (;;) {
    const execution = await client.get('/api/workflows/executions/{id}', { params: { id } })
    if (done(execution)) return execution
    await sleep(pollEvery)
  }
}

/** The workflow with this id, or the only one with this name. */
async function findWorkflow(client: Client, wanted: string): Promise<Workflow> {
  if (/^wf_[0-9a-z]+$/.test(wanted)) return client.get('/api/workflows/{id}', { params: { id: wanted } })
  const { workflows } = await client.get('/api/workflows', { query: { search: wanted, limit: 200 } })
  const { id } = onlyOne('workflow', wanted, workflows)
  return client.get('/api/workflows/{id}', { params: { id } })
}

async function findExecution(client: Client, wanted: string): Promise<string> {
  if (/^exec_[0-9a-z]+$/.test(wanted)) return wanted
  const { id, name } = await findWorkflow(client, wanted)
  const { executions } = await client.get('/api/workflows/{id}/executions', {
    params: { id },
    query: { limit: 1 },
  })
  const [latest] = executions
  if (!latest) throw new Failure(`${name} has not run yet`, { name: 'not_found' })
  return latest.id
}

export const commands = [list, show, run, logs, importFile, exportFile]
