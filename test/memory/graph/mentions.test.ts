import { expect, test } from 'vitest'
import { commit } from '../../../runtime/events/commit.ts'
import { wipeGraph } from '../../../runtime/memory/graph/generation-store.ts'
import { mentionStatements } from '../../../runtime/memory/graph/mentions.ts'
import { entitiesOf } from '../../../runtime/memory/graph/store.ts'
import { addAgents } from '../../support/agents.ts'
import { testHost } from '../../support/host.ts'
import { graphOf, mention, store } from './support.ts'

const names = async (host: Awaited<ReturnType<typeof testHost>>, query = {}) =>
  (await graphOf(host, query)).nodes.map(({ name }) => name)

test('mentions have a count and a type', async () => {
  const host = await testHost()
  const { id } = await store(
    host,
    'Anna Schmidt met Tim Cook in Berlin. Anna Schmidt likes Berlin, and Berlin likes her.',
  )
  await mention(host, [id])

  expect((await entitiesOf(host, [id])).get(id)).toEqual([
    { id: expect.stringMatching(/^ent_/), name: 'Berlin', type: 'place', mentions: 3 },
    { id: expect.stringMatching(/^ent_/), name: 'Anna Schmidt', type: 'person', mentions: 2 },
    { id: expect.stringMatching(/^ent_/), name: 'Tim Cook', type: 'person', mentions: 1 },
  ])
})

test.each([
  ['Lower the volume of the radio', []],
  ['Check the boiler. Raise the blinds.', []],
  ['Check the heating at Acme Labs', ['Acme Labs']],
  ['We shop at Target, and Ana loves Check, the band', ['Target', 'Ana', 'Check']],
])('verbs at the start of a sentence are not entities: %s', async (content, names) => {
  const host = await testHost()
  const { id } = await store(host, content)
  await mention(host, [id])

  expect((await graphOf(host)).nodes.map(({ name }) => name).sort()).toEqual([...names].sort())
})

test('spellings of one name are one entity, which keeps its id', async () => {
  const host = await testHost()
  const first = await store(host, 'I flew to Zürich.')
  const second = await store(host, "Zurich's airport is big, ZURICH is not.")
  await mention(host, [first.id])
  const [before] = (await graphOf(host)).nodes
  await mention(host, [second.id])

  expect((await graphOf(host)).nodes).toEqual([{ ...before, mentions: 3 }])
})

test('an unchanged episode is not read again, an edited one is', async () => {
  const host = await testHost()
  const { id } = await store(host, 'Anna lives in Berlin')
  await mention(host, [id])
  expect(await mentionStatements(host, [{ id }])).toEqual([])
  expect(await mentionStatements(host, [{ id }], { force: true })).not.toEqual([])

  await host.sql.write([{ sql: `UPDATE episodes SET content = 'Anna lives in Paris' WHERE id = ?`, args: [id] }])
  await mention(host, [id])
  expect(await names(host)).toEqual(['Anna', 'Paris'])
})

test('an entity is deleted with its last episode', async () => {
  const host = await testHost()
  const first = await store(host, 'Anna went to Berlin')
  const second = await store(host, 'Anna went to Paris')
  await mention(host, [first.id, second.id])
  await host.sql.write([{ sql: 'DELETE FROM episodes WHERE id = ?', args: [second.id] }])

  expect((await graphOf(host)).nodes).toMatchObject([
    { name: 'Anna', mentions: 1 },
    { name: 'Berlin', mentions: 1 },
  ])
})

test('an episode deleted during reading leaves nothing', async () => {
  const host = await testHost()
  const { id } = await store(host, 'Anna went to Berlin')
  const statements = await mentionStatements(host, [{ id }])
  await host.sql.write([{ sql: 'DELETE FROM episodes WHERE id = ?', args: [id] }])
  await commit(host, statements)

  expect(await names(host)).toEqual([])
})

test('a wipe removes everything, and later episodes are read', async () => {
  const host = await testHost()
  const { id } = await store(host, 'Anna went to Berlin')
  await mention(host, [id])
  await commit(host, wipeGraph())
  expect(await names(host)).toEqual([])
  await mention(host, [id])
  expect(await names(host)).toEqual(['Anna', 'Berlin'])
})

test.each([
  ['its type', { type: 'place' }, ['Berlin', 'Zürich']],
  ['a part of its name, in any spelling', { q: 'ZUR' }, ['Zürich']],
  ['the agent whose episodes name it', { agent_id: 'agent_2' }, ['Tim Cook', 'Zürich']],
  ['when it became known', { at: '2026-01-05' }, ['Anna', 'Berlin']],
  ['a name that nothing has', { q: '%' }, []],
])('nodes are found by %s', async (_, query, expected) => {
  const host = await testHost()
  await addAgents(host, 'agent_2')
  const first = await store(host, 'Anna went to Berlin')
  await host.clock.advance(86_400_000)
  const second = await store(host, 'Tim Cook went to Zürich', { agent_id: 'agent_2' })
  await mention(host, [first.id, second.id])

  expect((await names(host, query)).sort()).toEqual(expected)
})

test('a truncated list is marked', async () => {
  const host = await testHost()
  const { id } = await store(host, 'Anna, Berlin and Tim Cook')
  await mention(host, [id])

  expect(await graphOf(host, { limit: '1' })).toMatchObject({ total_nodes: 3, truncated: true })
  expect(await graphOf(host, { limit: '3' })).toMatchObject({ total_nodes: 3, truncated: false })
})

test.each([[{ limit: '0' }], [{ limit: '1001' }], [{ type: 'animal' }], [{ at: 'soon' }]])(
  '%o is refused',
  async (query) => {
    await expect(graphOf(await testHost(), query)).rejects.toThrow('400')
  },
)
