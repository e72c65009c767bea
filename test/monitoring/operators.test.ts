import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../../adapters/prometheus/metrics.ts'
import { prometheus } from '../../handlers/monitoring/health.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { serve } from '../../runtime/http/serve.ts'
import { approved, plannedProject, planStep, projectHost } from '../projects/kit.ts'
import { configure } from '../providers/kit.ts'
import { call, requestFor } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { endpoints } from '../support/endpoints.ts'
import { peer, testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { newJob } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

const folder = join(import.meta.dirname, '..', '..', 'adapters', 'prometheus')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

const machine = {
  disk: async () => ({ free_bytes: 5, total_bytes: 10 }),
  residentBytes: () => 1,
  load: async () => ({
    cpu_pct: 12,
    load: [1, 1, 1] as [number, number, number],
    memory: { free_bytes: 1, total_bytes: 2 },
    event_loop_lag_ms: 3,
  }),
}

async function used() {
  const host = await testHost({ machine, metrics: createMetrics(), models: scriptedModels(text('Hello')) })
  await configure(host, ['openai'])
  await chat(host, { message: 'Hi' })
  await workOff(host)
  await serve(routesOf(endpoints))(requestFor({ method: 'GET', path: '/api/agents' }), host, peer)
  return host
}

test('every metric that the dashboard and the alert rules name exists', async () => {
  const metrics = await (await call(prometheus, await used())).text()
  const named = new Set(`${read('grafana-dashboard.json')}${read('alert-rules.yml')}`.match(/service_\w+/g))

  expect(named.size).toBeGreaterThan(15)
  expect([...named].filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(metrics))).toEqual([])
})

test('every expression of the dashboard has balanced brackets and its own place', () => {
  const { panels } = JSON.parse(read('grafana-dashboard.json'))
  const places = panels.map(({ gridPos }: { gridPos: object }) => JSON.stringify(gridPos))
  expect(new Set(places).size).toBe(panels.length)
  for (const { targets } of panels)
    for (const { expr } of targets) expect(expr.split('(').length).toBe(expr.split(')').length)
})

test('tasks and tokens are counted from the start, and tasks are those of projects', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'A' }, b: { title: 'B' } }))
  const counted = async () => (await call(prometheus, host)).text()
  expect(await counted()).toContain('service_tasks_total{status="completed"} 0\n')
  expect(await counted()).toContain('service_token_usage_total{model="offline",type="input"} 0\n')
  const { id } = await plannedProject(host)
  await approved(host, id)
  expect(await counted()).toContain('service_tasks_total{status="completed"} 2\n')
})

test('finished work, sessions and active jobs are counted exactly', async () => {
  const host = await used()
  await newJob(host)
  const metrics = await (await call(prometheus, host)).text()
  const value = (name: string) => Number(metrics.match(new RegExp(`^service_${name} (\\S+)$`, 'm'))?.[1])
  const [ended] = await host.sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM work WHERE status = 'succeeded'`,
  )

  expect(value('work_ended_total\\{status="succeeded"\\}')).toBe(ended?.count)
  expect(value('scheduler_jobs_active')).toBe(1)
  expect(value('active_sessions')).toBe(0)
  expect(value('work_units\\{status="queued"\\}')).toBe(0)
})

const promtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!promtool)('promtool accepts the alert rules (skipped without promtool)', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', join(folder, 'alert-rules.yml')])
  expect({ status, output: `${stdout}${stderr}` }).toMatchObject({ status: 0 })
})

test.skipIf(!promtool)('promtool accepts the metrics (skipped without promtool)', async () => {
  const input = await (await call(prometheus, await used())).text()
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input })
  // 1: it could not be read; 3: advice on names.
  expect({ status, output: `${stdout}${stderr}` }).not.toMatchObject({ status: 1 })
})
