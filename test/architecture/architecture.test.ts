import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { againstOrder, areasOf, importsByCentre, orderIn, pastDoors } from './layers.ts'
import { cycles, forbiddenGlobals, forbiddenImports, longFiles } from './rules.ts'
import { foreignTables, sqlOutsideStores } from './tables.ts'

const top = fileURLToPath(new URL('../..', import.meta.url))
const folders = ['handlers', 'runtime', 'adapters', 'web', 'test']
const files = globSync(
  folders.map((folder) => `${folder}/**/*.{ts,tsx}`),
  { cwd: top, exclude: (path) => /node_modules|dist|\.output/.test(path) },
)
const sources = new Map(files.map((file) => [file, readFileSync(`${top}/${file}`, 'utf8')]))

const areas = areasOf(sources)

test('there are files to check', () => {
  expect(sources.size).toBeGreaterThan(100)
})

test('each folder imports only what the table allows', () => {
  expect(forbiddenImports(sources)).toEqual([])
})

test('runtime and handlers use no timer and evaluate no text', () => {
  expect(forbiddenGlobals(sources)).toEqual([])
})

test('there are no import cycles', () => {
  expect(cycles(sources)).toEqual([])
})

test('no file is too long', () => {
  expect(longFiles(sources)).toEqual([])
})

test('the centre imports no area', () => {
  expect(areas.size).toBe(20)
  expect(importsByCentre(sources, areas)).toEqual([])
})

const order = orderIn(readFileSync(`${top}/runtime/README.md`, 'utf8'))

test('an area imports lower areas only', () => {
  expect([...order].sort()).toEqual([...areas].sort())
  expect(againstOrder(sources, order)).toEqual([])
})

test('an area is entered by its door only', () => {
  expect(pastDoors(sources, areas)).toEqual([])
})

test('an area names its own tables only', () => {
  expect(foreignTables(sources)).toEqual([])
})

test('SQL stands in stores only', () => {
  expect(sqlOutsideStores(sources)).toEqual([])
})

const planted = (file: string, source: string) => new Map([[file, source]])

test.each([
  ['runtime/chat/x.ts', `import { readFile } from 'node:fs'`],
  ['runtime/chat/x.ts', `import { chat } from '../../handlers/chat/index.ts'`],
  ['runtime/chat/x.ts', `const { LocalSql } = await import('../../adapters/libsql/local.ts')`],
  ['runtime/ports/x.ts', `import { Fault } from '../fault.ts'`],
  ['handlers/chat/x.ts', `import { list } from '../agents/agents.ts'`],
  ['handlers/chat/x.ts', `import type { Sql } from '../../adapters/libsql/local.ts'`],
  ['handlers/chat/x.ts', `import jsonata from 'jsonata'`],
  ['adapters/disk/x.ts', `export { LocalSql } from '../libsql/local.ts'`],
  ['adapters/disk/x.ts', `import { endpoints } from '../../handlers/index.ts'`],
  ['web/pages/x.tsx', `import { Agent } from '../../runtime/agents/schema.ts'`],
  ['web/pages/x.tsx', `import 'node:fs'`],
  ['runtime/chat/answer.ts', `import { Message } from './schema.ts'`],
])('a planted import is found: %s %s', (file, source) => {
  expect(forbiddenImports(planted(file, source))).toHaveLength(1)
})

test.each([
  ['runtime/area.ts', `import type { Job } from './scheduler/schema.ts'`],
  ['runtime/tools/x.ts', `const { send } = await import('../chat/send.ts')`],
])('a planted import of an area by the centre is found: %s %s', (file, source) => {
  expect(importsByCentre(planted(file, source), areas)).toHaveLength(1)
})

test.each([
  ['of an area', 'runtime/hooks/x.ts', '../chat/message-store.ts'],
  ['of endpoints of another area', 'handlers/hooks/x.ts', '../../runtime/chat/schema.ts'],
  ['at run time', 'runtime/hooks/y.ts', '../chat/answer.ts'],
  ['of a store by an adapter', 'adapters/node/x.ts', '../../runtime/chat/message-store.ts'],
])('a planted import past a door is found: %s', (_, file, target) => {
  const source = file.endsWith('y.ts') ? `await import('${target}')` : `import type { X } from '${target}'`
  expect(pastDoors(planted(file, source), areas)).toHaveLength(1)
})

test('a planted import of an upper area is found', () => {
  const upward = planted('runtime/files/x.ts', `import type { Job } from '../scheduler/schema.ts'`)
  expect(againstOrder(upward, order)).toEqual(['runtime/files/x.ts → runtime/scheduler/schema.ts'])
})

test('a planted timer, cycle and long file are found', () => {
  expect(forbiddenGlobals(planted('runtime/x.ts', 'setTimeout(() => 1, 5)'))).toHaveLength(1)
  const circle = new Map([
    ['runtime/a.ts', `import { b } from './b.ts'`],
    ['runtime/b.ts', `import { a } from './a.ts'`],
  ])
  expect(cycles(circle)).toEqual(['runtime/a.ts → runtime/b.ts → runtime/a.ts'])
  const ofTypes = new Map([...circle, ['runtime/a.ts', `import type { B } from './b.ts'`]])
  expect(cycles(ofTypes)).toEqual(['runtime/a.ts → runtime/b.ts → runtime/a.ts'])
  expect(longFiles(planted('runtime/x.ts', '\n'.repeat(700)))).toHaveLength(1)
})

test("a planted query on another area's table, and one outside a store, are found", () => {
  const query = "host.sql.read('SELECT * FROM messages WHERE id = ?', [id])"
  const table = "new Table<Message, 'steers'>('messages', {})"
  expect(foreignTables(planted('runtime/memory/store.ts', table))).toHaveLength(1)
  expect(sqlOutsideStores(planted('runtime/chat/turn.ts', table))).toHaveLength(1)
  expect(foreignTables(planted('runtime/memory/store.ts', query))).toHaveLength(1)
  expect(foreignTables(planted('runtime/chat/message-store.ts', query))).toEqual([])
  expect(sqlOutsideStores(planted('runtime/chat/turn.ts', query))).toHaveLength(1)
})
