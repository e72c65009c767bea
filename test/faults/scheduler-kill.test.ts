import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { startLibsqlServer } from '../fixtures/libsql-server/server.ts'
import { dataFolder, eventually, startProcess } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'
import { checkSlots, rowsOf } from './slots.ts'

const everySecond = (service: Service, own: Record<string, unknown> = {}): Promise<Job> =>
  service.read('POST', '/api/scheduler/jobs', {
    name: 'Every second',
    goal: 'What is 2 + 2?',
    schedule: { type: 'every', interval: 1 },
    ...own,
  })

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Pauses every job and waits until nothing is open. */
async function settle(service: Service): Promise<void> {
  const { jobs } = await service.read<{ jobs: Job[] }>('GET', '/api/scheduler/jobs?limit=200')
  for (const { id } of jobs) await service.send('POST', `/api/scheduler/jobs/${id}/pause`)
  await eventually(async () => {
    const { running, queued } = await service.read<{ running: number; queued: number }>('GET', '/api/scheduler/stats')
    return running + queued === 0
  })
}

const seeds = (process.env.SEEDS ?? '1,2,3').split(',').map(Number)

test.each(seeds)('killed repeatedly around due times (seed %i): each due time has one row', async (seed) => {
  const random = seeded(seed)
  const service = await Service.start()
  const overlaps = ['skip', 'allow', 'buffer_one', 'cancel_other']
  const retry = { max_attempts: 2, strategy: 'fixed', base_delay: 0 }
  for (const overlap of overlaps) await everySecond(service, { overlap, retry, auto_pause_after: null })
  for (let round = 0; round < 8; round += 1) {
    await pause(random() * 1_200)
    if (random() < 0.3) await service.end('SIGTERM')
    else await service.kill()
    await service.restart()
  }
  await settle(service)
  await service.end('SIGTERM')
  checkSlots(join(service.folder, 'hearthd.db'), 1)
})

test('a run interrupted by a kill succeeds after the start', async () => {
  const service = await Service.start()
  const retry = { max_attempts: 5, strategy: 'fixed', base_delay: 0 }
  const schedule = { type: 'every', interval: 86_400 }
  const jobs: Job[] = []
  for (let index = 0; index < 40; index += 1) jobs.push(await everySecond(service, { schedule, retry }))
  const asked = jobs.map(({ id }) => service.send('POST', `/api/scheduler/jobs/${id}/trigger`))
  await Promise.race(asked)
  await service.kill()
  await Promise.allSettled(asked)
  await service.restart()
  await settle(service)
  await service.end('SIGTERM')
  const ends = rowsOf<{ status: string; attempt: number }>(
    join(service.folder, 'hearthd.db'),
    `SELECT status, max(attempt) AS attempt FROM scheduler_runs GROUP BY job_id, scheduled_for`,
  )
  expect(ends.length).toBeGreaterThan(0)
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['succeeded']))
})

let stop: () => Promise<void> = async () => undefined
let url = ''
let file = ''

beforeAll(async () => {
  file = join(dataFolder(), 'server.db')
  const server = await startLibsqlServer(file)
  url = server.url
  stop = () => server.close()
})

afterAll(() => stop())

test('two daemons on one database, one killed repeatedly: each due time has one row', async () => {
  const env = { SERVICE_DATABASE_URL: url, SERVICE_SECRET_KEY: 'one key for both daemons' }
  const first = await Service.start(env)
  const folder = dataFolder()
  const beside = () => startProcess(folder, { env })
  for (let index = 0; index < 5; index += 1) await everySecond(first, { overlap: 'allow' })
  for (let round = 0; round < 4; round += 1) {
    const second = await beside()
    await pause(1_500)
    second.signal('SIGKILL')
    await second.ended
  }
  const { jobs } = await first.read<{ jobs: Job[] }>('GET', '/api/scheduler/jobs?limit=200')
  for (const { id } of jobs) await first.send('POST', `/api/scheduler/jobs/${id}/pause`)
  await first.end('SIGTERM')
  checkSlots(file, 1)
})
