import { setTimeout as sleep } from 'node:timers/promises'
import type { ProjectDetails } from '../../runtime/projects/schema.ts'
import { type ScriptedStep, startWire, text, toolCall } from '../fixtures/wire/index.ts'
import { remove, setUp, startDaemonProcess, stretchesOf } from './processes.ts'
import { percentile, type Row } from './table.ts'

const projects = 3
const count = 200
const width = 8

/** Rows of eight tasks; each waits for the one above it. */
const tasks = Array.from({ length: count }, (_, index) => ({
  ref: `t${index}`,
  title: `Task ${index}`,
  depends_on: index >= width ? [`t${index - width}`] : [],
}))

const model: ScriptedStep = ({ body }) =>
  JSON.stringify((body as { tools?: unknown }).tools ?? []).includes('submit_plan')
    ? toolCall('submit_plan', { summary: 'Many tasks', phases: [{ name: 'All', tasks }] })
    : text('It is done.')

/** Three projects of 200 tasks at once, and how quickly the daemon answers others meanwhile. */
export async function run(): Promise<Row[]> {
  await using wire = await startWire({ otherwise: model })
  const daemon = await startDaemonProcess(undefined, { watch: true })
  const key = await setUp(daemon.url)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    return (await fetch(daemon.url + path, init)).json() as Promise<Answer>
  }
  const access = { api_key: 'bench', base_url: wire.url.openai, default_model: 'bench' }
  await send('PUT', '/api/providers/openai/key', access)
  const shown = (id: string) => send<ProjectDetails>('GET', `/api/projects/${id}`)

  const idle = await probe(daemon.url, () => true, 100)
  const ids: string[] = []
  for (let index = 0; index < projects; index += 1) {
    const { id } = await send<{ id: string }>('POST', '/api/projects', { description: 'Do many tasks' })
    await send('POST', `/api/projects/${id}/generate-plan`)
    while (!(await shown(id)).plan) await sleep(50)
    ids.push(id)
  }
  daemon.process.kill('SIGUSR2')
  const begun = performance.now()
  for (const id of ids) await send('POST', `/api/projects/${id}/approve`)
  let running = true
  const probing = probe(daemon.url, () => running)
  const ends: number[] = []
  let most = 0
  while (ends.length < projects) {
    await sleep(250)
    ends.length = 0
    for (const project of await Promise.all(ids.map(shown))) {
      most = Math.max(most, project.tasks.filter(({ status }) => status === 'running').length)
      if (project.completed_at) ends.push(Date.parse(project.completed_at))
    }
  }
  const seconds = (performance.now() - begun) / 1000
  running = false
  const busy = await probing
  await daemon.end()
  const stretches = stretchesOf(daemon)
  remove(daemon.folder)
  const spread = (Math.max(...ends) - Math.min(...ends)) / 1000
  return [
    {
      what: `tasks per second, ${projects} projects of ${count}`,
      value: (projects * count) / seconds,
      unit: '/s',
    },
    { what: 'most tasks of one project at once', value: most, unit: '', baseline: width },
    { what: 'time between the first and the last end', value: spread, unit: 's', baseline: seconds },
    {
      what: 'the event loop blocked (processor time), p99.9',
      value: percentile(stretches, 0.999),
      unit: 'ms',
      baseline: 50,
    },
    {
      what: 'the event loop blocked (processor time), longest',
      value: Math.max(...stretches),
      unit: 'ms',
      baseline: 50,
    },
    {
      what: 'GET /health/live meanwhile, p50',
      value: percentile(busy, 0.5),
      unit: 'ms',
      baseline: percentile(idle, 0.5),
    },
    {
      what: 'GET /health/live meanwhile, p99',
      value: percentile(busy, 0.99),
      unit: 'ms',
      baseline: percentile(idle, 0.99),
    },
    {
      what: 'GET /health/live meanwhile, longest',
      value: Math.max(...busy),
      unit: 'ms',
      baseline: Math.max(...idle),
    },
  ]
}

/** Milliseconds of one request after the other. */
async function probe(url: string, goOn: () => boolean, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const times: number[] = []
  while (goOn() && times.length < most) {
    const begun = performance.now()
    await (await fetch(`${url}/health/live`)).text()
    times.push(performance.now() - begun)
    await sleep(10)
  }
  return times
}
