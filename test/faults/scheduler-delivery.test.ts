import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../adapters/libsql/database.ts'
import type { Chain } from '../../runtime/scheduler/chains.ts'
import type { Job, ShownRun } from '../../runtime/scheduler/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

const bodies: string[] = []
let heard: (() => Promise<void>) | null = null

/** A receiver that can be told to do something between hearing a request and answering it. */
const receiver = createServer(async (request, response) => {
  bodies.push(await text(request))
  const act = heard
  heard = null
  await act?.()
  response.end()
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const { port } = receiver.address() as AddressInfo

afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

const schedule = { type: 'cron', expression: '0 0 1 1 *' }
const goal = 'What is 2 + 2?'

const newJob = (service: Service, own: Record<string, unknown>): Promise<Job> =>
  service.read('POST', '/api/scheduler/jobs', { name: 'Job', goal, schedule, ...own })

const runsOf = async (service: Service, { id }: Job): Promise<ShownRun[]> =>
  (await service.read<{ runs: ShownRun[] }>('GET', `/api/scheduler/jobs/${id}/runs?limit=200`)).runs

test('killed between the end of a run and its delivery: the result is delivered, and the run is not repeated', async () => {
  const service = await Service.start({ SERVICE_OUTBOUND_ALLOWLIST: `127.0.0.1:${port}` })
  const job = await newJob(service, {
    delivery: { channel: 'webhook', url: `http://127.0.0.1:${port}/hook` },
  })
  const killed = new Promise<void>((resolve) => {
    heard = async () => {
      await service.kill()
      resolve()
    }
  })
  await service.send('POST', `/api/scheduler/jobs/${job.id}/trigger`)
  await killed
  await service.restart()
  const [run, ...more] = await eventually(async () => {
    const runs = await runsOf(service, job)
    return runs[0]?.delivery_status === 'delivered' && runs
  })
  expect(more).toEqual([])
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1 })
  expect(bodies.length).toBeGreaterThanOrEqual(2)
  expect(new Set(bodies.map((body) => JSON.parse(body).data.run_id))).toEqual(new Set([run?.id]))
  await service.end('SIGTERM')
})

const seeds = (process.env.SEEDS ?? '1,2').split(',').map(Number)

/** Between two of its jobs, a run of a chain is open while nothing runs or waits. */
function openRuns(folder: string): number {
  const db = openDatabase(join(folder, 'hearthd.db'))
  const open = db.prepare(`SELECT id FROM scheduler_chain_runs WHERE status = 'running'`).all([])
  db.close()
  return open.length
}

test.each(seeds)('chains under kills (seed %i): each job starts once in each run of its chain', async (seed) => {
  const random = seeded(seed)
  const service = await Service.start()
  const retry = { max_attempts: 20, strategy: 'fixed', base_delay: 0 }
  const jobs: Job[] = []
  for (let index = 0; index < 5; index += 1)
    jobs.push(await newJob(service, { name: `Job ${index}`, retry, overlap: 'allow', auto_pause_after: null }))
  const [a, b, c, d, e] = jobs.map(({ id }) => id)
  const edges = [
    { from: a, to: b, type: 'on_success' },
    { from: a, to: c, type: 'on_complete' },
    { from: b, to: d, type: 'on_success' },
    { from: c, to: d, type: 'on_success' },
    { from: d, to: e, type: 'on_complete' },
  ]
  const wish = { name: 'Diamond', jobs: [a, b, c, d, e], edges }
  const chain = await service.read<Chain>('POST', '/api/scheduler/chains', wish)
  const asked: string[] = []
  for (let round = 0; round < 6; round += 1) {
    const answer = await service.read<{ chain_run_id: string }>('POST', `/api/scheduler/chains/${chain.id}/trigger`)
    asked.push(answer.chain_run_id)
    await new Promise((resolve) => setTimeout(resolve, random() * 600))
    await service.kill()
    await service.restart()
  }
  await eventually(async () => {
    const { running, queued } = await service.read<{ running: number; queued: number }>('GET', '/api/scheduler/stats')
    return running + queued + openRuns(service.folder) === 0
  })
  await service.end('SIGTERM')

  const db = openDatabase(join(service.folder, 'hearthd.db'))
  const all = <Row>(sql: string) => db.prepare(sql).all([]) as Row[]
  const runs = all<{ id: string; status: string }>('SELECT id, status FROM scheduler_chain_runs ORDER BY id')
  expect(runs).toEqual(asked.map((id) => ({ id, status: 'succeeded' })))
  const begun = all<{ count: number }>(
    `SELECT count(*) AS count FROM scheduler_runs WHERE trigger = 'chain' GROUP BY chain_run_id, job_id`,
  )
  expect(begun).toEqual(Array(asked.length * 5).fill({ count: 1 }))
  expect(all('SELECT DISTINCT status FROM scheduler_chain_steps')).toEqual([{ status: 'succeeded' }])
  db.close()
})
