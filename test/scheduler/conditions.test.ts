import { expect, test } from 'vitest'
import { create, show, trigger } from '../../handlers/scheduler/jobs.ts'
import type { Host, Ports } from '../../runtime/host.ts'
import { evaluateJsonata } from '../../runtime/jsonata.ts'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { hour } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { openSite } from '../tools/web/site.ts'

const read = async (host: Host, id: string): Promise<Job> => (await call(show, host, { params: { id } })).json()

/** A host and a job with a condition; each call of `next` is an hour later and answers the latest run. */
async function watched(type: string, expression: string, ports: Partial<Ports> = {}) {
  const host = await testHost({
    models: scriptedModels(...Array.from({ length: 9 }, () => text('Done'))),
    ...ports,
  })
  const job = await newJob(host, { condition: { type, expression } })
  const next = async () => {
    await host.clock.advance(hour)
    await workOff(host)
    return (await runsOf(host, job)).at(-1)
  }
  return { host, job, next }
}

test.each([
  ['job.name = "Job" and last_run = null', 'succeeded'],
  ['system.runs_running = 0 and memory.episodes = 0 and now > "2026-01-05"', 'succeeded'],
  ['job.tags', 'skipped'],
  ['last_run.status = "succeeded"', 'skipped'],
])('an expression decides: %s → %s', async (expression, status) => {
  const { next } = await watched('expression', expression)
  const run = await next()
  expect(run?.status).toBe(status)
  if (status === 'skipped') expect(run?.error).toContain(expression)
})

test('an expression sees the previous run', async () => {
  const { next } = await watched('expression', '$not(last_run.status = "succeeded" and last_run.output = "Done")')
  expect((await next())?.status).toBe('succeeded')
  expect((await next())?.status).toBe('skipped')
})

test('a condition that cannot be evaluated skips the run, reports the error, and warns', async () => {
  const { host, next } = await watched('expression', '$number(job.name)')
  expect(await next()).toMatchObject({
    status: 'skipped',
    error: expect.stringContaining('cannot be checked'),
  })
  expect(host.events).toContain('job.condition.failed')
})

test.each([
  ['constructor', 'undefined'],
  ['__proto__', 'undefined'],
  ['job.constructor.constructor("return process")()', 'undefined'],
  ['job.__proto__.polluted', 'undefined'],
  ['({}).constructor', 'undefined'],
  ['$lookup(job, "constructor")', 'undefined'],
  ['$lookup(job, "__proto__")', 'undefined'],
  ['$string.constructor("return 1")()', 'throws'],
  ['[1..9000000]', 'throws'],
  ['$pad("x", 100000000)', 'throws'],
  ['($f := function($n) { $f($n + 1) }; $f(1))', 'throws'],
  ['($f := function($n) { 1 + $f($n + 1) }; $f(1))', 'throws'],
  ['$reduce([1..60], function($s) { $s & $s & "aaaa" }, "a")', 'throws'],
  ['$length($reduce([1..60], function($s) { $s & $s }, "aaaa"))', 'throws'],
  ['$string($reduce([1..80], function($s) { {"a": $s, "b": $s} }, {"c": 1}))', 'throws'],
  ['$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)', 'undefined'],
  ['$match("a", /(a)\\1/)', 'throws'],
  ['$join([1..2000].("x"), $pad("x", 100000))', 'throws'],
  ['$replace($pad("x", 100000, "x"), "x", $pad("x", 100000, "x"))', 'throws'],
  ['$eval("[1..9000000]")', 'throws'],
  ['$ ~> |job|{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}|', 'harmless'],
  ['$merge([{"__proto__": {"polluted": true}}, {"a": 1}])', 'harmless'],
  ['{"__proto__": {"polluted": true}}', 'harmless'],
])('a hostile expression is inert: %s', async (expression, outcome) => {
  const data = { job: { name: 'Job' }, now: '2026-01-05' }
  const result = await evaluateJsonata(expression, data).then(
    (value) => (value === undefined ? 'undefined' : 'harmless'),
    () => 'throws',
  )
  expect(result).toBe(outcome)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  expect(data).toEqual({ job: { name: 'Job' }, now: '2026-01-05' })
})

test.each([
  ['expression', 'job.('],
  ['expression', '('.repeat(4_000)],
  ['http', 'file:///etc/passwd'],
  ['http', 'https://user:pass@example.com'],
  ['file_changed', '../../etc/passwd'],
  ['file_changed', '/etc/passwd'],
  ['previous_status', 'wonderful'],
])('a %s condition that can never work is refused: %s', async (type, expression) => {
  const host = await testHost()
  const schedule = { type: 'every', interval: 60 }
  const body = { name: 'Job', goal: 'Go', schedule, condition: { type, expression } }
  const response = await call(create, host, { body })
  expect(response.status).toBe(422)
  expect(await response.text()).toContain('condition.expression')
})

test('an http condition is met if the address answers 2xx, through the guard', async () => {
  let status = 204
  const site = await openSite((_, response) => response.writeHead(status).end())
  const { next } = await watched('http', `${site.origin}/ready`, { outbound: site.outbound })
  expect((await next())?.status).toBe('succeeded')
  status = 503
  expect(await next()).toMatchObject({ status: 'skipped', error: `${site.origin}/ready answered 503` })
  await site.close()
  expect(await next()).toMatchObject({ status: 'skipped', error: expect.stringContaining('did not answer') })
})

test('an http condition that the guard refuses skips the run with the reason', async () => {
  const site = await openSite((_, response) => response.end())
  const { host, next } = await watched('http', 'http://169.254.169.254/latest', { outbound: site.outbound })
  expect(await next()).toMatchObject({ status: 'skipped', error: expect.stringContaining('refused') })
  expect(host.events).toContain('job.condition.failed')
  await site.close()
})

test('a file condition is met if the file has changed since the last run that started', async () => {
  const { host, job, next } = await watched('file_changed', 'notes/plan.md')
  const root = `workspaces/${job.agent_id}`
  const write = (words: string) => host.files.write(root, 'notes/plan.md', new TextEncoder().encode(words))
  expect(await next()).toMatchObject({ status: 'skipped', error: 'notes/plan.md does not exist' })
  await write('one')
  expect((await next())?.status).toBe('succeeded')
  expect((await next())?.status).toBe('skipped')
  await write('one')
  expect((await next())?.error).toBe('notes/plan.md has not changed since the last run')
  await write('two')
  expect((await next())?.status).toBe('succeeded')
  await host.files.remove(root, 'notes/plan.md')
  expect((await next())?.status).toBe('succeeded')
  expect((await next())?.status).toBe('skipped')
})

test('a manual run ignores the condition', async () => {
  const { host, job } = await watched('expression', 'false')
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', trigger: 'manual' }])
})

test('skipped runs do not count toward max_runs', async () => {
  const host = await testHost({ models: scriptedModels(text('Done'), text('Done')) })
  const isLate = '$toMillis(now) >= $toMillis("2026-01-05T15:00:00Z")'
  const job = await newJob(host, { max_runs: 2, condition: { type: 'expression', expression: isLate } })
  const statuses = async () => (await runsOf(host, job)).map(({ status }) => status)
  for (let hours = 0; hours < 3; hours += 1) {
    await host.clock.advance(hour)
    await workOff(host)
  }
  expect(await statuses()).toEqual(['skipped', 'skipped', 'succeeded'])
  expect(await read(host, job.id)).toMatchObject({ status: 'active', run_count: 1 })
  for (let hours = 0; hours < 3; hours += 1) {
    await host.clock.advance(hour)
    await workOff(host)
  }
  expect(await statuses()).toEqual(['skipped', 'skipped', 'succeeded', 'succeeded'])
  expect(await read(host, job.id)).toMatchObject({ status: 'completed', run_count: 2, next_run_at: null })
})
