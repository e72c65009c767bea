import { afterEach, expect, test } from 'vitest'
import type { Job, ShownRun } from '../../runtime/scheduler/schema.ts'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

const started = new Set<string>()
afterEach(async () => {
  for (const folder of started) await hearthd(folder, ['stop', '--force'])
  started.clear()
})

const json = <Answer>(text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '') as Answer

test('a job is created, run and deleted on the command line', async () => {
  const folder = dataFolder()
  started.add(folder)
  const daemon = await startProcess(folder)
  const { headers } = await setUpProcess(daemon)
  const body = JSON.stringify({ timezone: 'Asia/Kathmandu' })
  await fetch(`${daemon.url}/api/settings/profile`, { method: 'PUT', headers, body })

  const words = ['job', 'add', 'every weekday at 9:30: What is 2 + 2?', '--name', 'Sums', '--deliver', 'none']
  const added = await hearthd(folder, [...words, '--json'])
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const job = json<Job>(added.stdout)
  expect(job).toMatchObject({ name: 'Sums', goal: 'What is 2 + 2?', status: 'active' })
  expect(job).toMatchObject({
    schedule: { type: 'cron', expression: '30 9 * * 1-5' },
    delivery: { channel: 'none' },
  })

  const list = await hearthd(folder, ['job', 'ls'])
  expect(list.stdout).toContain(job.id)
  expect(list.stdout).toContain('Sums')
  expect(list.stdout).toContain('Every weekday at 09:30')
  // In the zone of the profile, whatever that of this machine.
  expect(list.stdout).toMatch(/\d{4}-\d\d-\d\d 09:30/)

  const run = await hearthd(folder, ['job', 'run', 'sums', '--json'])
  expect(run).toMatchObject({ code: 0 })
  expect(json<ShownRun>(run.stdout)).toMatchObject({ status: 'succeeded', trigger: 'manual' })
  expect((await hearthd(folder, ['job', 'run', '-d', 'Sums'])).code).toBe(0)

  expect((await hearthd(folder, ['job', 'pause', 'Sums'])).stdout).toMatch(/Sums +paused/)
  expect((await hearthd(folder, ['job', 'resume', 'Sums'])).stdout).toMatch(/Sums +active +\d{4}-/)
  const logs = await hearthd(folder, ['job', 'logs', 'Sums', '-n', '1', '--json'])
  expect(json<{ runs: ShownRun[] }>(logs.stdout).runs).toMatchObject([{ job_id: job.id, trigger: 'manual' }])

  expect(json(await hearthd(folder, ['job', 'rm', 'Sums', '--json']).then(({ stdout }) => stdout))).toEqual({
    deleted: true,
    id: job.id,
  })
  expect((await hearthd(folder, ['job', 'ls'])).stdout).toBe('No jobs\n')
  expect(await hearthd(folder, ['job', 'run', 'Sums'])).toMatchObject({
    code: 1,
    stderr: 'hearthd: There is no job Sums; hearthd jobs list lists them\n',
  })
  expect((await hearthd(folder, ['job', 'add', 'every weekday at 9:30'])).stderr).toContain(
    'Write when it runs, a colon, and what it does',
  )
  expect((await hearthd(folder, ['job', 'add', 'blue elephants: dance'])).code).toBe(1)
})
