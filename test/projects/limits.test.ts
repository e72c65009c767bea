import { afterEach, expect, test } from 'vitest'
import { createFakeClock } from '../../adapters/memory/clock.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createModels } from '../../adapters/models/index.ts'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import type { Strategy } from '../../runtime/projects/schema.ts'
import { minute, second } from '../../runtime/time.ts'
import { type ScriptedStep, type Step, startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { fail, reset } from '../fixtures/wire/steps.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { approved, createProject, ended, offers, shown } from './kit.ts'

let wire: Wire | undefined
afterEach(() => wire?.close())

const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((ref) => ({
  ref,
  title: `Taste ${ref}`,
  acceptance: ['It is tasted'],
}))
const drafted = { summary: 'Tea', phases: [{ name: 'Tasting', tasks: six }] }

const vendor: ScriptedStep = ({ body }) => {
  if (offers(body, 'submit_plan')) return toolCall('submit_plan', drafted)
  if (offers(body, 'submit_verdict')) return toolCall('submit_verdict', { met: true })
  if (offers(body, 'submit_audit')) return toolCall('submit_audit', { score: 90, findings: [] })
  return text('It tastes of grass.')
}

/** A host whose vendor refuses everything with `refusal` from the first request of `from` on, for `seconds`. */
async function limited(
  from: 'submit_plan' | 'files' | 'submit_verdict' | 'submit_audit',
  refusal: Step,
  seconds: number,
) {
  let until: number | null = null
  let host: MemoryHost | undefined
  const otherwise: ScriptedStep = (request) => {
    const now = host?.clock.now() ?? 0
    if (until === null && offers(request.body, from)) until = now + seconds * second
    if (until !== null && now < until) return refusal
    return typeof vendor === 'function' ? vendor(request) : vendor
  }
  wire = await startWire({ otherwise })
  const clock = createFakeClock('2026-01-05T09:00:00.000Z')
  host = await testHost({ models: createModels({ fetch: wire.fetch, clock }) })
  await configure(host, ['anthropic'])
  return { host, requests: wire.requests }
}

async function planned(host: MemoryHost, strategy: Strategy = 'balanced') {
  const { id } = await createProject(host, { strategy })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  return id
}

test.each([
  ['a 429 with Retry-After of 120 s', fail(429, { retry_after: '120' }), 120, 10],
  ['an outage of ten minutes', fail(503), 600, 60],
  ['a server that cannot be reached for ten minutes', reset(), 600, 60],
])('six tasks under %s are completed with one attempt each', async (_, refusal, seconds, most) => {
  const { host, requests } = await limited('files', refusal, seconds)
  const id = await planned(host)
  const began = host.clock.now()
  const waiting = await approved(host, id)
  expect(waiting.status).toBe('running')
  const until = waiting.tasks.map((task) => task.waiting?.until).find(Boolean) ?? ''
  expect(Date.parse(until)).toBeGreaterThan(began)
  expect(Date.parse(until)).toBeLessThanOrEqual(began + 120 * second)

  const done = await ended(host, id)
  expect(done).toMatchObject({ status: 'completed', error: null })
  expect(done.tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1])
  expect(done.tasks.map(({ waiting }) => waiting)).toEqual(Array(6).fill(null))
  // Six answers and six reviews; the rest asked in vain.
  expect(requests.length - 1 - 12).toBeLessThanOrEqual(most)
})

test.each(['submit_verdict', 'submit_audit'] as const)('%s waits for the vendor and is not left out', async (name) => {
  const { host, requests } = await limited(name, fail(429, { retry_after: '120' }), 120)
  const id = await planned(host, 'thorough')
  await approved(host, id)
  const done = await ended(host, id)
  expect(done.status).toBe('completed')
  await host.clock.advance(3 * minute)
  await workOff(host)
  const answered = requests.filter(({ body }) => offers(body, name)).length
  expect(answered).toBeGreaterThan(name === 'submit_audit' ? 1 : 6)
  expect(done.tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1])
})

test('a plan that waits says until when, and is made then', async () => {
  const { host } = await limited('submit_plan', fail(429, { retry_after: '120' }), 120)
  const id = await planned(host)
  const until = new Date(host.clock.now() + 120 * second).toISOString()
  expect(await shown(host, id)).toMatchObject({
    planning: true,
    planning_waits: { until, code: 'rate_limit' },
    error: null,
  })
  await host.clock.advance(121 * second)
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ planning: false, planning_waits: null, plan: { version: 1 } })
})

test('cancelling a project ends the wait of its tasks', async () => {
  const { host, requests } = await limited('files', fail(429, { retry_after: '120' }), 120)
  const id = await planned(host)
  await approved(host, id)
  await call(projects.cancel, host, { params: { id } })
  const sent = requests.length
  await host.clock.advance(10 * minute)
  await workOff(host)
  const cancelled = await shown(host, id)
  expect(cancelled.status).toBe('cancelled')
  expect(cancelled.tasks.every(({ waiting }) => waiting === null)).toBe(true)
  expect(requests).toHaveLength(sent)
})

test('a task fails at once when it has waited as long as the project allows', async () => {
  const { host } = await limited('files', fail(503), 3_600)
  const { id } = await createProject(host, { strategy: 'balanced', max_wait_hours: 0.1 })
  await call(plan.generatePlan, host, { params: { id } })
  await workOff(host)
  const began = host.clock.now()
  await approved(host, id)
  const done = await ended(host, id)
  expect(done.status).toBe('failed')
  expect(done.tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1])
  const waited = host.clock.now() - began
  expect(waited).toBeGreaterThan(4 * minute)
  expect(waited).toBeLessThan(15 * minute)
})
