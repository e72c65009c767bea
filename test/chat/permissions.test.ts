import { expect, test } from 'vitest'
import { create as createAgent } from '../../handlers/agents/agents.ts'
import { list as listApprovals, respond } from '../../handlers/chat/approvals.ts'
import { remove as removeConversation } from '../../handlers/chat/conversations.ts'
import { create, list, proposals, remove, show, simulate, update } from '../../handlers/chat/permissions.ts'
import { send } from '../../handlers/chat/stream.ts'
import { create as createHook } from '../../handlers/hooks/hooks.ts'
import type { Permission } from '../../runtime/chat/permissions.ts'
import type { Host } from '../../runtime/host.ts'
import { day, hour } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { answerOf, onlyApproval, onlyConversation } from '../support/chat.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const writing = (path: string, id = 'call_1') => toolCall('files', { action: 'write', path, content: 'tea' }, id)
const inNotes = {
  tool: 'files',
  match: [
    { argument: 'action', op: 'equals', value: 'write' },
    { argument: 'path', op: 'prefix', value: 'notes' },
  ],
}

async function permit(host: Host, body: object): Promise<Permission> {
  const response = await call(create, host, { body })
  if (response.status !== 201) throw new Error(await response.text())
  return response.json()
}

async function ask(host: Host, body: object = {}): Promise<void> {
  await (await call(send, host, { body: { message: 'Write it', ...body } })).body?.cancel()
  await workOff(host)
}

const permissionsOf = async (host: Host): Promise<Permission[]> => (await (await call(list, host)).json()).permissions
const statuses = (host: Host) => host.sql.read('SELECT status, permission_id FROM approvals ORDER BY id')
const asked = (host: Host) => host.sql.read(`SELECT id FROM approvals WHERE status = 'pending'`)

const answer = async (host: Host, body: object) => {
  const { approvals } = await (await call(listApprovals, host, { query: { status: 'pending' } })).json()
  const [{ id, conversation_id }] = approvals
  await call(respond, host, { params: { id: conversation_id }, body: { approval_id: id, ...body } })
  await workOff(host)
}

test('a call that a permission covers runs without asking, and its record names the permission', async () => {
  const host = await testHost({ models: scriptedModels(writing('notes/tea.txt'), text('Written.')) })
  const { id, summary } = await permit(host, { ...inNotes, uses_left: 5 })
  expect(summary).toBe('files: action write, path in notes')
  await ask(host)

  expect(await statuses(host)).toEqual([{ status: 'approved', permission_id: id }])
  const { parts } = await answerOf(host, await onlyConversation(host))
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_use', state: 'done', permission_id: id }))
  const [started] = await host.sql.read<{ data: string }>(`SELECT data FROM events WHERE type = 'tool.before'`)
  expect(started?.data).toContain(id)
  const used = { uses: 1, uses_left: 4, last_used_at: '2026-01-05T12:00:00.000Z' }
  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject(used)
})

test.each(['drafts/tea.txt', 'notes/../tea.txt', 'notes-old/tea.txt', 'Notes/tea.txt', 'notes//tea.txt', '/notes/tea'])(
  'a path that is not in the folder asks: %s',
  async (path) => {
    const host = await testHost({ models: scriptedModels(writing(path), text('Written.')) })
    await permit(host, inNotes)
    await ask(host)
    expect(await statuses(host)).toEqual([{ status: 'pending', permission_id: null }])
  },
)

test('"always in this conversation" makes a permission, which ends with the conversation', async () => {
  const models = scriptedModels(writing('a'), text('Written.'), writing('b'), text('Written.'), writing('c'))
  const host = await testHost({ models })
  await ask(host)
  const { conversation_id } = await onlyApproval(host)
  await answer(host, { approved: true, remember: true })
  const [permission] = await permissionsOf(host)
  expect(permission).toMatchObject({ tool: 'files', match: [], scope: { conversation_id }, uses: 0 })
  await ask(host, { conversation_id })
  expect(await asked(host)).toEqual([])
  await ask(host)
  expect(await asked(host)).toHaveLength(1)

  await call(removeConversation, host, { params: { id: conversation_id } })
  expect(await permissionsOf(host)).toEqual([])
})

test('"always in this conversation" makes a permission beside one that is used up', async () => {
  const models = scriptedModels(writing('a'), text('.'), writing('b'), text('.'), writing('c'), text('.'))
  const host = await testHost({ models })
  await ask(host)
  const { conversation_id } = await onlyApproval(host)
  await answer(host, { approved: true })
  await permit(host, { tool: 'files', scope: { conversation_id }, uses_left: 1 })
  await ask(host, { conversation_id })
  await ask(host, { conversation_id })
  await answer(host, { approved: true, remember: true })
  expect((await permissionsOf(host)).map(({ uses_left }) => uses_left)).toEqual([null, 0])
  const [audited] = await host.sql.read(`SELECT count(*) AS count FROM audit WHERE action = 'permission.created'`)
  expect(audited).toEqual({ count: 2 })
})

test('in a shared conversation only its own permissions apply', async () => {
  const models = scriptedModels(writing('notes/a'), text('.'), writing('notes/b'), writing('notes/c'), text('.'))
  const host = await testHost({ models })
  await permit(host, inNotes)
  await ask(host)
  const { id } = await onlyConversation(host)
  await host.sql.write([{ sql: `UPDATE conversations SET shared_with = '["everyone"]'` }])
  await ask(host, { conversation_id: id })
  expect(await asked(host)).toHaveLength(1)
  await answer(host, { approved: true, remember: true })
  expect(await asked(host)).toEqual([])
})

test('two calls at once do not share the last use', async () => {
  const models = scriptedModels(writing('notes/a'), writing('notes/b'), text('Done.'), text('Done.'))
  const host = await testHost({ models })
  const { id } = await permit(host, { ...inNotes, uses_left: 1 })
  await Promise.all([call(send, host, { body: { message: 'One' } }), call(send, host, { body: { message: 'Two' } })])
  await workOff(host)
  expect((await statuses(host)).map(({ status }) => status).toSorted()).toEqual(['approved', 'pending'])
  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject({ uses: 1, uses_left: 0 })
})

test.each([
  ['expired', { until: '2026-01-05T12:00:00Z' }],
  ['used up', { uses_left: 0 }],
  ['outside its hours', { hours: { start: '20:00', end: '08:00' } }],
])('a permission that is %s asks', async (_, changes) => {
  const host = await testHost({ models: scriptedModels(writing('notes/a'), text('Done.')) })
  await permit(host, { ...inNotes, ...changes })
  await ask(host)
  expect(await asked(host)).toHaveLength(1)
})

test('a revoked permission asks, and so does a changed one that no longer covers the call', async () => {
  const models = scriptedModels(writing('notes/a'), text('.'), writing('notes/b'), writing('notes/c'))
  const host = await testHost({ models })
  const { id } = await permit(host, inNotes)
  await ask(host)
  expect(await asked(host)).toHaveLength(0)
  const match = [{ argument: 'path', op: 'prefix', value: 'drafts/' }]
  expect((await call(update, host, { params: { id }, body: { match } })).status).toBe(200)
  await ask(host)
  expect(await asked(host)).toHaveLength(1)
  await call(update, host, { params: { id }, body: { match: [] } })
  await call(remove, host, { params: { id } })
  await ask(host)
  expect(await asked(host)).toHaveLength(2)
})

test('a permission does not override a hook that asks, nor untrusted text', async () => {
  const host = await testHost({ models: scriptedModels(writing('notes/a'), text('.'), writing('notes/b'), text('.')) })
  await permit(host, { tool: 'files' })
  const action = { kind: 'decide', expression: "$contains(data.input.path, 'b') ? 'ask' : 'allow'" }
  const hook = { name: 'Asks', events: ['tool.before'], blocking: true, action }
  expect((await call(createHook, host, { body: hook })).status).toBe(201)
  await ask(host)
  expect(await asked(host)).toHaveLength(0)
  await ask(host)
  expect(await asked(host)).toHaveLength(1)
})

test('a permission of another owner, or for another agent, covers nothing', async () => {
  const host = await testHost({ models: scriptedModels(writing('notes/a'), text('Done.')) })
  const other = await (await call(createAgent, host, { body: { name: 'Cook' } })).json()
  await permit(host, { ...inNotes, scope: { agent_id: other.id } })
  const caller = { ...adminCaller, user_id: 'user_2' }
  expect((await call(create, host, { body: inNotes, caller })).status).toBe(201)
  await ask(host)
  expect(await asked(host)).toHaveLength(1)
})

test.each([
  [{ tool: '*' }, 'tool'],
  [{ ...inNotes, match: [{ argument: 'path', op: 'prefix', value: '../x' }] }, 'match.0.value'],
  [{ ...inNotes, match: [{ argument: 'url', op: 'host', value: '10.0.0.0/8' }] }, 'match.0.value'],
  [{ ...inNotes, match: [{ argument: 'amount', op: 'at_most', value: 'much' }] }, 'match.0.value'],
  [{ ...inNotes, match: [{ argument: 'to', op: 'one_of', value: ', ' }] }, 'match.0.value'],
  [{ ...inNotes, match: [{ argument: 'to', op: 'equals', value: ['a'] }] }, 'match.0.value'],
  [{ ...inNotes, scope: { agent_id: 'agent_none' } }, 'scope.agent_id'],
  [{ tool: 'files', matches: inNotes.match }, 'matches'],
  [{ tool: 'files', scope: { agent: 'agent_1' } }, 'scope'],
  [{ tool: 'files', match: [{ argument: 'path', operator: 'prefix', value: 'notes' }] }, 'match.0'],
  [{ tool: 'files', match: [{ argument: 'x', op: 'at_most', value: '1e999' }] }, 'match.0.value'],
])(
  'a permission that could not be applied, or would allow more than was meant, is refused: %j',
  async (body, field) => {
    const host = await testHost()
    const response = await call(create, host, { body })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain(field)
    const simulated = await call(simulate, host, { body: { permission: body } })
    expect(simulated.status).toBe(422)
    expect(await simulated.text()).toContain(field)
  },
)

test('nobody makes a permission without the scope approve, or for somebody else', async () => {
  const host = await testHost()
  const writer = { ...adminCaller, scopes: ['read' as const, 'write' as const] }
  expect((await call(create, host, { body: inNotes, caller: writer })).status).toBe(403)
  const substitute = { ...adminCaller, owner_id: 'user_2' }
  expect((await call(create, host, { body: inNotes, caller: substitute })).status).toBe(403)
})

test('after three same answers a permission is proposed, with what it would have answered', async () => {
  const names = ['a', 'b', 'c', 'd']
  const models = scriptedModels(...names.flatMap((name) => [writing(`notes/${name}`), text('.')]), writing('drafts/x'))
  const host = await testHost({ models })
  const proposed = async (query: Record<string, string> = {}) =>
    (await (await call(proposals, host, { query })).json()).proposals
  for (const _ of names.slice(0, 3)) {
    expect(await proposed()).toEqual([])
    await ask(host)
    await answer(host, { approved: true })
  }
  await ask(host)
  const [pending] = await asked(host)
  const [proposal, ...others] = await proposed({ approval_id: String(pending?.id) })
  expect(others).toEqual([])
  expect(proposal).toMatchObject({ count: 3, summary: 'files: action write, path in notes' })
  expect(proposal.simulation).toMatchObject({ would_allow: 3, would_still_ask: 0 })
  expect(proposal.simulation.examples[0]).toMatchObject({ summary: 'Write notes/c', status: 'approved', allowed: true })

  await answer(host, { approved: false })
  expect(await proposed()).toEqual([])
  await ask(host)
  await answer(host, { approved: true })
  const simulated = await call(simulate, host, { body: { permission: inNotes, days: 30 } })
  expect(await simulated.json()).toMatchObject({
    would_allow: 4,
    would_still_ask: 1,
    examples: [{ status: 'rejected' }, {}, {}, {}, {}],
  })
  const wrong = { tool: 'files', match: [{ argument: 'path', op: 'prefix', value: '..' }] }
  const refused = await call(simulate, host, { body: { permission: wrong, days: 30 } })
  expect(await refused.text()).toContain('permission.match.0.value')
  await host.clock.advance(31 * day)
  const later = await call(simulate, host, { body: { permission: inNotes, days: 30 } })
  expect(await later.json()).toEqual({ would_allow: 0, would_still_ask: 0, examples: [] })
})

test('a proposal that was accepted is not made again', async () => {
  const names = ['a', 'b', 'c']
  const host = await testHost({
    models: scriptedModels(...names.flatMap((name) => [writing(`notes/${name}`), text('.')])),
  })
  for (const _ of names) {
    await ask(host)
    await answer(host, { approved: true })
  }
  const read = async () => (await (await call(proposals, host)).json()).proposals
  const [{ permission }] = await read()
  await permit(host, permission)
  expect(await read()).toEqual([])
})

test('a digest counts the use that queued it', async () => {
  const host = await testHost({ models: scriptedModels(writing('notes/tea.txt'), text('Written.')) })
  await permit(host, inNotes)
  const { now } = host.clock
  let passed = 0
  host.clock.now = () => now() + passed++
  await ask(host)
  await host.clock.advance(day)
  await workOff(host)
  expect(host.events).toContain('permission.digest')
})

test('a digest says once a day what ran, unless agents may start nothing on their own', async () => {
  const models = scriptedModels(...['a', 'b', 'c'].flatMap((name) => [writing(`notes/${name}`), text('.')]))
  const host = await testHost({ models })
  await permit(host, inNotes)
  await ask(host)
  await ask(host)
  const digests = () => host.sql.read<{ data: string }>(`SELECT data FROM events WHERE type = 'permission.digest'`)
  await host.clock.advance(19 * hour)
  await workOff(host)
  expect(await digests()).toEqual([])
  await host.clock.advance(hour)
  await workOff(host)
  const digest = {
    title: '2 actions ran under your permissions since yesterday',
    text: '- 2 × files: action write, path in notes',
  }
  expect((await digests()).map(({ data }) => JSON.parse(data))).toEqual([digest])
  await ask(host)
  await host.sql.write([
    { sql: `INSERT INTO settings (section, value, updated_at) VALUES ('proactive', '{"enabled":false}', '2026')` },
  ])
  await host.clock.advance(2 * day)
  await workOff(host)
  expect(await digests()).toHaveLength(1)
})
