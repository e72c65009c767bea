import { expect, test } from 'vitest'
import { z } from 'zod'
import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { areas } from '../../handlers/index.ts'
import { defineArea } from '../../runtime/area.ts'
import { listAudit } from '../../runtime/auth/store.ts'
import { changeEvents, collection } from '../../runtime/collection.ts'
import { conflict, invalidField } from '../../runtime/fault.ts'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { call } from '../support/call.ts'
import { adminCaller, emptyImage } from '../support/host.ts'

const deleted: string[] = []

const recipes = collection({
  noun: 'recipe',
  prefix: 'rec',
  path: '/api/recipes',
  items: 'recipes',
  owner: 'caller',
  events: { type: 'recipe', id: 'recipe_id' },
  table: { name: 'recipes', columns: ['cooked', 'hint', 'origin'], packed: 'content', guard: ['cooked'] },
  fields: {
    name: z.string().min(1).meta({ title: 'Name' }),
    servings: z.number().int().max(100).default(2).meta({ title: 'Servings', unit: 'people' }),
    tags: z.array(z.string()).default([]),
  },
  sent: { secret: z.string().optional() },
  once: { source: z.string().optional() },
  state: { cooked: z.boolean().default(false) },
  hidden: { hint: z.string().nullable().default(null), origin: z.string() },
  derived: { label: z.string(), secret: z.boolean() },
  derive: (_, { name, servings, hint }) => ({ label: `${name} for ${servings}`, secret: hint !== null }),
  prepare(_, { next, before, sent }) {
    if (next.tags.includes('poison')) throw invalidField('tags', 'must not contain poison')
    const hint = sent.secret === undefined ? (before?.hint ?? null) : sent.secret.slice(-2)
    return Promise.resolve({ hint, origin: before?.origin ?? sent.source ?? 'grandmother' })
  },
  also: (_, next, before) =>
    before === null ? [] : [{ sql: 'INSERT INTO versions (recipe_id) VALUES (?)', args: [next.id] }],
  removal(_, { name }) {
    if (name === 'Bread') throw conflict('There is always bread')
    return []
  },
  after(_, next, before) {
    if (next === null && before) deleted.push(before.id)
  },
})

const { list, create, show, update, remove } = endpointsOf(recipes)
const cook = verbOf(recipes, 'cook', {
  summary: 'Cook a recipe',
  returns: recipes.Row.extend({ smell: z.string() }),
  run: (context, id) =>
    recipes.change(context, id, () => ({ cooked: true }), {
      action: 'recipe.cooked',
      extra: { smell: 'good' },
    }),
})
const versions = logOf(recipes, 'versions', {
  summary: 'List the versions of a recipe',
  item: z.object({ recipe_id: z.string() }),
  async rows({ sql }, id) {
    const rows = await sql.read<{ recipe_id: string }>('SELECT recipe_id FROM versions WHERE recipe_id = ?', [id])
    return { rows, total: rows.length }
  },
})

const kitchen = defineArea({
  name: 'kitchen',
  tables: ['recipes', 'versions'],
  events: async () => changeEvents('recipe', 'recipe_id'),
})

async function kitchenHost(): Promise<MemoryHost> {
  const host = await createMemoryHost([...areas, kitchen], { sql: createMemorySql(await emptyImage) })
  await host.sql.write([
    {
      sql: `CREATE TABLE recipes (id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, content TEXT NOT NULL, cooked INTEGER NOT NULL,
        hint TEXT, origin TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT`,
    },
    { sql: 'CREATE TABLE versions (recipe_id TEXT NOT NULL) STRICT' },
  ])
  host.events.length = 0
  return host
}

const ann = { ...adminCaller, user_id: 'user_ann', role: 'user', scopes: ['read', 'write'] } as const
const ben = { ...ann, user_id: 'user_ben' } as const

const soup = { name: 'Soup', secret: 'thyme', source: 'a book' }

async function made(host: MemoryHost, body: object = soup) {
  const response = await call(create, host, { body, caller: ann })
  expect([response.status, await response.clone().text()]).toEqual([201, expect.any(String)])
  return recipes.Row.parse(await response.json())
}

const changed = (host: MemoryHost, id: string, body: object, headers = {}) =>
  call(update, host, { params: { id }, body, caller: ann, headers })

const audited = async (host: MemoryHost) =>
  (await listAudit(host, { limit: 50, offset: 0 })).rows.map(({ action, target }) => [action, target]).reverse()

test('the members of an answer have one order, its id first', async () => {
  const host = await kitchenHost()
  const created = await (await call(create, host, { body: soup, caller: ann })).json()
  const shown = await (await call(show, host, { params: { id: created.id }, caller: ann })).json()
  const changes = await (await changed(host, created.id, { name: 'Stew' })).json()
  for (const answer of [created, shown, changes]) expect(Object.keys(answer)).toEqual(Object.keys(recipes.Row.shape))
})

test('a new thing has its defaults, its state and what is derived, and shows nothing hidden', async () => {
  const host = await kitchenHost()
  const recipe = await made(host)
  expect(recipe).toEqual({
    id: expect.stringMatching(/^rec_/),
    owner_id: 'user_ann',
    name: 'Soup',
    servings: 2,
    tags: [],
    cooked: false,
    label: 'Soup for 2',
    secret: true,
    created_at: '2026-01-05T12:00:00.000Z',
    updated_at: '2026-01-05T12:00:00.000Z',
  })
  const shown = await call(show, host, { params: { id: recipe.id }, caller: ann })
  expect(await shown.json()).toEqual(recipe)
  expect(await recipes.find(host, recipe.id)).toMatchObject({ hint: 'me', origin: 'a book' })
})

test('a change sets the given fields only: no defaults, and nothing that is accepted once', async () => {
  const host = await kitchenHost()
  const { id } = await made(host, { ...soup, servings: 4, tags: ['hot'] })
  const response = await changed(host, id, { name: 'Stew', source: 'a magazine', cooked: true })
  expect(await response.json()).toMatchObject({ name: 'Stew', servings: 4, tags: ['hot'], cooked: false })
  expect(await recipes.find(host, id)).toMatchObject({ hint: 'me', origin: 'a book' })
})

test('what is not valid is refused, by the schema and by the check', async () => {
  const host = await kitchenHost()
  const { id } = await made(host)
  for (const body of [{ servings: 101 }, { tags: ['poison'] }, { name: '' }])
    expect((await changed(host, id, body)).status).toBe(422)
  expect((await call(create, host, { body: {}, caller: ann })).status).toBe(422)
})

test('an unknown id and somebody else’s thing are both a 404', async () => {
  const host = await kitchenHost()
  const { id } = await made(host)
  const refused = async (own: string, caller: typeof ann | typeof ben) => {
    const body = { name: 'Mine' }
    const answers = await Promise.all([
      call(show, host, { params: { id: own }, caller }),
      call(update, host, { params: { id: own }, caller, body }),
      call(cook, host, { params: { id: own }, caller }),
      call(versions, host, { params: { id: own }, caller }),
      call(remove, host, { params: { id: own }, caller }),
    ])
    return answers.map(({ status }) => status)
  }
  expect(await refused('rec_none', ann)).toEqual([404, 404, 404, 404, 404])
  expect(await refused(id, ben)).toEqual([404, 404, 404, 404, 404])
  expect(await (await call(list, host, { caller: ben })).json()).toMatchObject({ recipes: [], total: 0 })
  expect(await recipes.find(host, id)).toMatchObject({ name: 'Soup' })
})

test('the list is newest first and has pages', async () => {
  const host = await kitchenHost()
  const ids: string[] = []
  for (const name of ['Soup', 'Stew', 'Bread']) ids.push((await made(host, { name })).id)
  const page = await (await call(list, host, { query: { limit: '2' }, caller: ann })).json()
  expect(page).toMatchObject({ total: 3, limit: 2, offset: 0 })
  expect(page.recipes.map((recipe: { id: string }) => recipe.id)).toEqual(ids.reverse().slice(0, 2))
})

test('two changes at once are both kept', async () => {
  const host = await kitchenHost()
  const { id } = await made(host)
  const answers = await Promise.all([changed(host, id, { name: 'Stew' }), changed(host, id, { tags: ['x'] })])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await recipes.find(host, id)).toMatchObject({ name: 'Stew', tags: ['x'] })
})

test('a change by the daemon that is not visible in `updated_at` is not overwritten', async () => {
  const host = await kitchenHost()
  const { id } = await made(host)
  const before = await recipes.find(host, id)
  if (!before) throw new Error('it was made')
  await host.sql.write([recipes.table.update({ cooked: true }, { id })])
  await expect(host.sql.write([recipes.updateStatement(before, { ...before, name: 'Stew' })])).rejects.toThrow(
    'The recipe was changed by another request',
  )
})

test('each change is one commit with its statements, its audit entry and its event', async () => {
  const host = await kitchenHost()
  const { id } = await made(host)
  await changed(host, id, { name: 'Stew' })
  const cooked = await call(cook, host, { params: { id }, caller: ann })
  expect(await cooked.json()).toMatchObject({ id, cooked: true, smell: 'good' })
  const log = await (await call(versions, host, { params: { id }, caller: ann })).json()
  expect(log).toMatchObject({ versions: [{ recipe_id: id }, { recipe_id: id }], total: 2 })
  await call(remove, host, { params: { id }, caller: ann })

  expect(host.events).toEqual(['recipe.created', 'recipe.updated', 'recipe.updated', 'recipe.deleted'])
  expect(await audited(host)).toEqual([
    ['recipe.created', id],
    ['recipe.updated', id],
    ['recipe.cooked', id],
    ['recipe.deleted', id],
  ])
  const rows = await host.sql.read<{ data: string; owner_id: string }>('SELECT data, owner_id FROM events')
  expect(JSON.parse(rows.at(-4)?.data ?? '')).toEqual({ recipe_id: id, name: 'Soup' })
  expect(rows.at(-1)).toEqual({ data: JSON.stringify({ recipe_id: id }), owner_id: 'user_ann' })
  expect(deleted).toContain(id)
})

test('a deletion can be refused', async () => {
  const host = await kitchenHost()
  const { id } = await made(host, { name: 'Bread' })
  expect((await call(remove, host, { params: { id }, caller: ann })).status).toBe(409)
  expect(await recipes.find(host, id)).not.toBeNull()
  expect(host.events).toEqual(['recipe.created'])
})

test('of two deletions at once one succeeds', async () => {
  const host = await kitchenHost()
  const { id } = await made(host)
  const answers = await Promise.all([1, 2].map(() => call(remove, host, { params: { id }, caller: ann })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
})

test('a repeated request gets the first answer', async () => {
  const host = await kitchenHost()
  const headers = { 'idempotency-key': 'once' }
  const [first, again] = [
    await call(create, host, { body: soup, caller: ann, headers }),
    await call(create, host, { body: soup, caller: ann, headers }),
  ]
  expect(await again.json()).toEqual(await first.json())
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(host.events).toEqual(['recipe.created'])
})

test('the schemas keep titles, units and limits; only that of new things has defaults', () => {
  const servings = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }).properties?.servings
  const described = { title: 'Servings', unit: 'people', maximum: 100 }
  expect(servings(recipes.New)).toMatchObject({ ...described, default: 2 })
  for (const schema of [recipes.Changes, recipes.Row]) {
    expect(servings(schema)).toMatchObject(described)
    expect(servings(schema)).not.toHaveProperty('default')
  }
  expect(Object.keys(recipes.Changes.shape)).toEqual(['name', 'servings', 'tags', 'secret'])
})
