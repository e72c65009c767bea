import { expect, test } from 'vitest'
import { z } from 'zod'
import { create as addAgent } from '../../handlers/agents/agents.ts'
import { list, reset, resetSecurity, schema } from '../../handlers/settings/general.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { listAgents } from '../../runtime/agents/store.ts'
import { mergeShape, subsetOf } from '../../runtime/sections/merge.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'

const agent = sections.agent
const looks = sections.interface
const proactive = sections.proactive
const security = sections.security
const strategy = sections.strategy

const Nested = z.object({
  embedding: z.object({ provider: z.string(), model: z.string().nullable() }),
  hours: z.object({ start: z.string(), end: z.string() }).nullable(),
  words: z.array(z.string()),
})

test.each([
  ['a member of an object', { embedding: { provider: 'b' } }, { embedding: { provider: 'b', model: 'm' } }],
  ['null in an object', { embedding: { model: null } }, { embedding: { provider: 'a', model: null } }],
  ['a list is replaced', { words: ['z'] }, { words: ['z'] }],
  ['what may be null is replaced', { hours: null }, { hours: null }],
  ['what is absent stays', { embedding: undefined }, {}],
])('a change is merged: %s', (_, change, expected) => {
  const old = { embedding: { provider: 'a', model: 'm' }, hours: { start: '1', end: '2' }, words: ['x'] }
  expect(mergeShape(Nested, old, change)).toEqual({ ...old, ...expected })
})

test.each([
  ['an unknown name', { nope: 1 }],
  ['an unknown name in an object', { embedding: { modle: 'x' } }],
  ['half of what is given whole', { hours: { start: '1' } }],
])('a subset refuses %s', (_, change) => {
  expect(subsetOf(Nested).safeParse(change).success).toBe(false)
})

const cases = [
  [agent, { timeout_seconds: 60 }, { timeout_seconds: 60, compaction_pct: 80, max_steps: 50 }],
  [
    looks,
    { notifications: { answers: false } },
    { notifications: { approvals: true, answers: false, failures: true } },
  ],
  [security, { session_hours: 2 }, { session_hours: 2, approval_timeout_minutes: 30 }],
  [strategy, { profiles: { economy: { parallelism: 3 } } }, { default: 'performance' }],
  [proactive, { quiet_hours: { start: '22:00', end: '07:00' } }, { max_per_day: 50, enabled: true }],
] as const

test.each(cases)(
  'a section accepts any subset, emits an event and writes to the audit log',
  async ({ show, update }, body, whole) => {
    const host = await testHost()
    const changed = await (await call(update, host, { body })).json()
    expect(changed).toMatchObject(whole)
    expect(await (await call(show, host)).json()).toEqual(changed)
    expect(host.events).toEqual(['settings.updated'])
    expect(await host.sql.read('SELECT action FROM audit')).toEqual([{ action: 'settings.updated' }])
  },
)

test.each([
  [agent, { compaction_pct: 100 }, 'compaction_pct'],
  [agent, { default_model: 'nobody/model' }, 'default_model'],
  [agent, { default_agent_id: 'agent_none' }, 'default_agent_id'],
  [looks, { density: 'airy' }, 'density'],
  [looks, { language: 'klingonese-' }, 'language'],
  [looks, { notifications: { answer: true } }, 'notifications'],
  [security, { session_hours: 25 }, 'session_hours'],
  [security, { redact_patterns: ['('] }, 'redact_patterns.0'],
  [security, { redact_patterns: ['(a+)\\1'] }, 'redact_patterns.0'],
  [security, { redact_patterns: ['a{2000}'] }, 'redact_patterns.0'],
  [security, { allowed_paths: ['relative/path'] }, 'allowed_paths.0'],
  [security, { allowed_paths: ['/srv/../etc'] }, 'allowed_paths.0'],
  [strategy, { profiles: { economy: { parallelism: 0 } } }, 'profiles.economy.parallelism'],
  [proactive, { quiet_hours: { start: '25:00', end: '07:00' } }, 'quiet_hours.start'],
  [proactive, { quiet_hours: { start: '07:00', end: '07:00' } }, 'quiet_hours.end'],
  [security, { session_hour: 3 }, ''],
] as const)('refuses what it cannot be, at the field', async ({ update }, body, path) => {
  const host = await testHost()
  const response = await call(update, host, { body })
  expect(response.status).toBe(422)
  expect((await response.json()).issues[0].path).toBe(path)
  expect(host.events).toEqual([])
})

test('everyone can read the security settings, and administrators can change them', async () => {
  const host = await testHost()
  const caller = { ...adminCaller, scopes: ['read', 'write'] as const }
  expect((await call(security.show, host, { caller })).status).toBe(200)
  expect((await call(security.update, host, { caller, body: { session_hours: 1 } })).status).toBe(403)
  expect((await call(resetSecurity, host, { caller })).status).toBe(403)
  expect((await call(reset, host, { caller })).status).toBe(403)
})

test('a general reset keeps the profile, security and email; security has its own', async () => {
  const host = await testHost()
  await call(looks.update, host, { body: { density: 'compact' } })
  await call(security.update, host, { body: { session_hours: 3 } })
  const all = await (await call(reset, host)).json()
  expect(all).toMatchObject({ interface: { density: 'comfortable' }, security: { session_hours: 3 } })
  expect(await (await call(resetSecurity, host)).json()).toMatchObject({ session_hours: 24 })
})

test('every section is returned, described for forms, and named in both', async () => {
  const host = await testHost()
  const values = await (await call(list, host)).json()
  const schemas = await (await call(schema, host)).json()
  expect(Object.keys(schemas)).toEqual(Object.keys(values))
  expect(schemas.security.properties.session_hours).toMatchObject({
    title: 'Session length',
    unit: 'hours',
  })
  for (const [name, { properties }] of Object.entries<{ properties: object }>(schemas))
    expect(Object.keys(properties)).toEqual(Object.keys(values[name]))
})

test('new agents take missing fields from the settings', async () => {
  const host = await testHost()
  await call(agent.update, host, { body: { max_steps: 7 } })
  await call(security.update, host, { body: { default_execution_mode: 'auto' } })
  const made = await (await call(addAgent, host, { body: { name: 'Gardener' } })).json()
  expect(made).toMatchObject({ max_steps: 7, execution_mode: 'auto' })
  const own = await (await call(addAgent, host, { body: { name: 'Own', max_steps: 3 } })).json()
  expect(own.max_steps).toBe(3)
})

test('the default agent is the one stored with the agents', async () => {
  const host = await testHost()
  const { id } = await (await call(addAgent, host, { body: { name: 'Gardener' } })).json()
  const shown = await (await call(agent.update, host, { body: { default_agent_id: id } })).json()
  expect(shown.default_agent_id).toBe(id)
  expect((await listAgents(host)).filter(({ is_default }) => is_default).map(({ name }) => name)).toEqual(['Gardener'])
})
