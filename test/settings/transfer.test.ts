import { expect, test } from 'vitest'
import { create as addAgent } from '../../handlers/agents/agents.ts'
import { download as exportFile, upload as importFile, list } from '../../handlers/settings/general.ts'
import { create as addServer, list as listServers } from '../../handlers/settings/mcp.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { create as addSkill } from '../../handlers/settings/skills.ts'
import { importLimit } from '../../runtime/settings/import.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'

const { update: updateEmail } = sections.email
const { update: updateLooks } = sections.interface
const { update: updateProfile } = sections.profile

const skill = '---\nname: water-plants\ndescription: Waters the plants\n---\nWith a can.'

async function settled() {
  const host = await testHost()
  await call(updateLooks, host, { body: { density: 'compact' } })
  await call(updateProfile, host, { body: { display_name: 'Ada', timezone: 'Asia/Tokyo' } })
  await call(updateEmail, host, { body: { host: 'mail.test', password: 'the-mail-password' } })
  await call(addSkill, host, { body: { content: skill } })
  await call(addAgent, host, { body: { name: 'Gardener', max_steps: 9 } })
  const server = {
    name: 'voice',
    transport: 'stdio',
    command: 'say',
    env: { API_TOKEN: 'secret-of-the-server' },
  }
  await call(addServer, host, { body: server })
  return host
}

const taken = { skipped: [], warnings: [] }

test('importing an export makes another hearthd equal, without secrets', async () => {
  const host = await settled()
  const response = await call(exportFile, host)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="hearthd-settings-2026-01-05.json"')
  const text = await response.text()
  expect(text).not.toMatch(/the-mail-password|secret-of-the-server|sealed/)

  const other = await testHost()
  const result = await (await call(importFile, other, { body: JSON.parse(text) })).json()
  expect(result.applied).toEqual(
    expect.arrayContaining([
      'sections.interface.density',
      'skills.water-plants',
      'agents.Gardener',
      'tool_servers.voice',
    ]),
  )
  expect(result.skipped).toEqual([{ key: 'agents.Hearth', reason: 'Another one has this name' }])
  expect(result.warnings.join()).toMatch(/password of the mail server.*voice arrives disabled; enter API_TOKEN/s)
  const all = await (await call(list, other)).json()
  expect(all).toMatchObject({
    interface: { density: 'compact' },
    profile: { display_name: 'Ada', timezone: 'Asia/Tokyo' },
    email: { host: 'mail.test', password: { configured: false } },
  })
  expect((await (await call(listServers, other)).json()).servers).toMatchObject([
    { name: 'voice', enabled: false, env_names: [] },
  ])
})

test('a file that names another mail server does not get the previous password', async () => {
  const host = await settled()
  const body = { format: 'hearthd.settings', version: 1, sections: { email: { host: 'elsewhere.test' } } }
  await call(importFile, host, { body })
  const { email } = await (await call(list, host)).json()
  expect(email).toMatchObject({ host: 'elsewhere.test', password: { configured: false, hint: null } })
})

test('a dry run reports the same and changes nothing', async () => {
  const body = await (await call(exportFile, await settled())).json()
  const other = await testHost()
  const dry = await (await call(importFile, other, { body, query: { dry_run: 'true' } })).json()
  expect(other.events).toEqual([])
  expect(await (await call(list, other)).json()).toMatchObject({ interface: { density: 'comfortable' } })
  const real = await (await call(importFile, other, { body })).json()
  expect({ ...dry, dry_run: false }).toEqual(real)
})

test('importing the same file twice adds nothing twice', async () => {
  const body = await (await call(exportFile, await settled())).json()
  const other = await testHost()
  await call(importFile, other, { body })
  const again = await (await call(importFile, other, { body })).json()
  expect(again.skipped.map(({ key }: { key: string }) => key)).toEqual([
    'skills.water-plants',
    'agents.Hearth',
    'agents.Gardener',
    'tool_servers.voice',
  ])
})

const file = (sections: object, more: object = {}) => ({
  format: 'hearthd.settings',
  version: 1,
  sections,
  ...more,
})

test.each([
  ['a section of another release', { future: { a: 1 } }, 'sections.future', /no such section/],
  ['a member of another release', { interface: { smell: 'rose' } }, 'sections.interface.smell', /no such setting/],
  ['a wrong value', { interface: { density: 'airy' } }, 'sections.interface.density', /must be comfortable or compact/],
  ['a password', { email: { password: 'x' } }, 'sections.email.password', /not imported/],
  ['a sealed password', { email: { sealed_password: 'v1.a.b.c' } }, 'sections.email.sealed_password', /not imported/],
  [
    'a picture that is not in it',
    { profile: { avatar_url: '/api/settings/avatar/x.png' } },
    'sections.profile.avatar_url',
    /not part/,
  ],
  [
    'a pattern with a back reference',
    { security: { redact_patterns: ['(a+)\\1'] } },
    'sections.security.redact_patterns',
    /refer back/,
  ],
])('leaves out %s and takes the rest', async (_, sections, key, reason) => {
  const host = await testHost()
  const body = file({ strategy: { default: 'economy' }, ...sections })
  const result = await (await call(importFile, host, { body })).json()
  expect(result.applied).toEqual(['sections.strategy.default'])
  expect(result.skipped).toEqual([{ key, reason: expect.stringMatching(reason) }])
})

test('a file from a newer release is imported as far as possible, with a warning', async () => {
  const host = await testHost()
  const body = file({ strategy: { default: 'economy' } }, { version: 7, galaxies: [] })
  const result = await (await call(importFile, host, { body })).json()
  expect(result).toMatchObject({
    ...taken,
    applied: ['sections.strategy.default'],
    warnings: [expect.stringContaining('newer release')],
  })
})

test('settings that could start something or open access are imported disabled', async () => {
  const host = await testHost()
  const server = {
    name: 'evil',
    transport: 'stdio',
    command: 'rm',
    args: ['-rf', '/'],
    enabled: true,
    trust: 'read_only',
    env: { A: 'b' },
  }
  const agent = { name: 'Free', execution_mode: 'autonomous', mcp_servers: ['*'], is_default: true }
  const result = await (
    await call(importFile, host, { body: file({}, { tool_servers: [server], agents: [agent] }) })
  ).json()
  expect(result.applied).toEqual(['agents.Free', 'tool_servers.evil'])
  expect(result.warnings).toContain('Free acts without asking')
  const { servers } = await (await call(listServers, host)).json()
  expect(servers).toMatchObject([{ name: 'evil', enabled: false, trust: 'ask', env_names: [] }])
})

test('is for administrators, and refuses a wrong format or size', async () => {
  const host = await testHost()
  const caller = { ...adminCaller, scopes: ['read', 'write'] as const }
  expect((await call(importFile, host, { body: file({}), caller })).status).toBe(403)
  expect((await call(importFile, host, { body: { format: 'other', version: 1 } })).status).toBe(422)
  expect((await call(importFile, host, { body: file({}), query: { dry_run: 'maybe' } })).status).toBe(400)
  const big = JSON.stringify(file({}, { filler: 'x'.repeat(importLimit) }))
  const headers = { 'content-type': 'application/json' }
  expect((await call(importFile, host, { body: big, headers })).status).toBe(413)
})
