import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClock } from '../../adapters/clock/clock.ts'
import { createDatabases } from '../../adapters/databases/databases.ts'
import { createOutbound } from '../../adapters/outbound/outbound.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { stored } from '../credentials/kit.ts'
import { type DatabaseService, databaseMissing, openDatabaseServer } from '../support/databases.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, execution, started } from './kit.ts'

const credential = { mySql: 'mySql', postgres: 'postgres', redis: 'redis' } as const
type Kind = keyof typeof credential
const node = (type: Kind, parameters: object, typeVersion = 2.5) => ({
  ...{ name: 'A', type: `n8n-nodes-base.${type}`, typeVersion, position: [0, 0], parameters },
  credentials: { [credential[type]]: { id: '1', name: 'Shop' } },
})

/** What a node becomes, without the parameters that all have. */
function imported(type: Kind, parameters: object, version?: number) {
  const { workflow, report } = importN8n({ nodes: [node(type, parameters, version)] })
  const { credential: _, limit, long_as_text, ...params } = workflow.nodes[0]?.params ?? {}
  return { params, reason: report.placeholders[0]?.reason ?? null, report }
}

const table = { schema: { __rl: true, value: 'public' }, table: { __rl: true, value: 'tea' } }

test.each<[Kind, object, object, number?]>([
  ['postgres', { operation: 'executeQuery', query: 'SELECT 1' }, { action: 'query', sql: 'SELECT 1', values: [] }],
  [
    'postgres',
    { operation: 'executeQuery', query: "SELECT * FROM t WHERE a = '{{ $json.a }}'" },
    { action: 'query', sql: "=js:SELECT * FROM t WHERE a = '{{ $json.a }}'" },
  ],
  [
    'postgres',
    { operation: 'executeQuery', query: '={{ $json.query }}' },
    { action: 'execute', sql: '=js:{{ $json.query }}' },
  ],
  [
    'postgres',
    {
      operation: 'executeQuery',
      query: 'UPDATE t SET a = $1, b = $2',
      options: { queryReplacement: '={{ $json.a }}, {{ $json.b }}' },
    },
    { action: 'execute', values: ['=js:{{ $json.a }}', '=js:{{ $json.b }}'] },
  ],
  [
    'postgres',
    { operation: 'executeQuery', query: 'SELECT $1', options: { queryReplacement: '={{ [$json.a] }}' } },
    { values: '=js:{{ [$typed(() => ([$json.a]), "any")].flat() }}' },
  ],
  [
    'postgres',
    {
      ...{ operation: 'select', ...table, limit: 5, combineConditions: 'OR' },
      where: {
        values: [
          { column: 'a', value: '={{ $json.a }}' },
          { column: '=b', condition: 'IS NULL' },
        ],
      },
      sort: { values: [{ column: 'c', direction: 'DESC' }] },
      options: { outputColumns: ['a', 'b"'] },
    },
    {
      action: 'query',
      sql: 'SELECT "a", "b""" FROM "public"."tea" WHERE "a" = $1 OR $2:name IS NULL ORDER BY "c" DESC LIMIT $3',
      values: ['=js:{{ $json.a }}', 'b', 5],
    },
  ],
  [
    'mySql',
    { operation: 'select', ...table, returnAll: true },
    { action: 'query', sql: 'SELECT * FROM `tea`', values: [] },
  ],
  [
    'postgres',
    {
      ...table,
      columns: { mappingMode: 'defineBelow', value: { a: '={{ $json.a }}' } },
      options: { skipOnConflict: true },
    },
    { action: 'insert', table: 'tea', rows: { a: '=js:{{ $json.a }}' }, skip_existing: true },
  ],
  [
    'postgres',
    {
      operation: 'upsert',
      ...table,
      schema: 's',
      columns: { mappingMode: 'autoMapInputData', matchingColumns: ['a'] },
    },
    { action: 'upsert', table: 's.tea', rows: '=js:{{ $json }}', match: ['a'] },
  ],
  [
    'mySql',
    {
      ...{ operation: 'update', ...table, dataMode: 'defineBelow', columnToMatchOn: 'id', valueToMatchOn: 7 },
      valuesToSend: { values: [{ column: 'a', value: 1 }] },
    },
    { action: 'update', table: 'tea', rows: { id: 7, a: 1 }, match: ['id'] },
    2.4,
  ],
  [
    'mySql',
    { operation: 'insert', table: 'tea', columns: 'a, b:json' },
    { action: 'insert', rows: { a: '=js:{{ $json["a"] }}', b: '=js:{{ $json["b"] }}' }, match: [] },
    1,
  ],
  ['mySql', { operation: 'deleteTable', ...table }, { action: 'execute', sql: 'TRUNCATE TABLE `tea`' }],
  [
    'postgres',
    {
      operation: 'deleteTable',
      ...table,
      deleteCommand: 'delete',
      where: { values: [{ column: 'a', condition: '>', value: 1 }] },
    },
    { sql: 'DELETE FROM "public"."tea" WHERE "a" > $1', values: [1] },
  ],
  [
    'redis',
    { operation: 'get', key: '=k{{ $json.a }}', propertyName: 'x' },
    { action: 'get', key: '=js:k{{ $json.a }}', type: 'auto', field: 'x' },
  ],
  [
    'redis',
    { operation: 'set', key: 'k', value: '{"a":1}', keyType: 'hash' },
    { action: 'set', value: { a: 1 }, type: 'hash' },
  ],
  [
    'redis',
    { operation: 'set', key: 'k', value: 'v', expire: true },
    { action: 'set', value: 'v', expires_seconds: 60 },
  ],
  [
    'redis',
    { operation: 'push', list: 'l', messageData: 'm', tail: true },
    { action: 'push', key: 'l', value: 'm', from_end: true },
  ],
  ['redis', {}, { action: 'info' }],
])('%s %j', (type, parameters, params, version) => {
  const { params: own, reason, report } = imported(type, parameters, version)
  expect(reason).toBeNull()
  expect(own).toMatchObject(params)
  expect(report.credentials).toEqual([{ name: 'Shop', kind: 'database', node_ids: ['a'] }])
})

test.each<[Kind, object, string]>([
  ['postgres', { operation: 'listen' }, 'its operation listen has no equivalent'],
  ['postgres', { ...table, columns: { mappingMode: 'defineBelow', value: {} } }, 'it has no values'],
  ['postgres', { operation: 'select' }, 'its table is not known'],
  ['redis', { operation: 'set', keyType: 'hash', valueIsJSON: false }, 'a hash that is not JSON has no equivalent'],
])('%s %j has no counterpart', (type, parameters, reason) => {
  expect(imported(type, parameters).reason).toContain(reason)
})

describe.each([
  ['postgres', 'postgres'],
  ['mySql', 'mysql'],
  ['redis', 'redis'],
] as const)('an imported flow with %s', (type, kind) => {
  const missing = databaseMissing(kind)
  const outbound = createOutbound()
  const databases = createDatabases({
    clock: createClock(),
    connect: outbound.connect,
    private_folder: import.meta.dirname,
  })
  let service: DatabaseService
  beforeAll(async () => {
    if (!missing) service = await openDatabaseServer(kind)
  }, 60_000)
  afterAll(async () => {
    await databases.close()
    await outbound.close()
    await service?.[Symbol.asyncDispose]()
  })

  const text = `O'Hara {{ 1 }} "$1"`
  const steps: readonly object[] =
    type === 'redis'
      ? [
          { operation: 'set', key: 'tea', value: '={{ $("Start").item.json.text }}' },
          { operation: 'get', key: 'tea', propertyName: 'text' },
        ]
      : [
          { operation: 'executeQuery', query: 'CREATE TABLE tea (id int, text varchar(100))' },
          {
            ...table,
            columns: { mappingMode: 'defineBelow', value: { id: 1, text: '={{ $("Start").item.json.text }}' } },
            dataMode: 'defineBelow',
            valuesToSend: {
              values: [
                { column: 'id', value: 1 },
                { column: 'text', value: '={{ $("Start").item.json.text }}' },
              ],
            },
          },
          { operation: 'executeQuery', query: "SELECT text FROM tea WHERE text = '{{ $('Start').item.json.text }}'" },
        ]

  test.skipIf(missing)('runs against a server', async () => {
    const host = await testHost({ databases, outbound })
    await stored(host, { name: 'Shop', fields: { kind: 'database', url: service.url } })
    const start = {
      ...{ name: 'Start', type: 'n8n-nodes-base.set', typeVersion: 3.4, position: [0, 0] },
      parameters: { mode: 'raw', jsonOutput: JSON.stringify({ text }).replace('{{', '\\u007b{') },
    }
    const trigger = {
      name: 'Go',
      type: 'n8n-nodes-base.manualTrigger',
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    }
    const nodes = [
      trigger,
      start,
      ...steps.map((parameters, index) => ({
        ...node(type, parameters, type === 'mySql' ? 2.4 : 2.5),
        name: `N${index}`,
      })),
    ]
    const connections = Object.fromEntries(
      nodes
        .slice(1)
        .map(({ name }, index) => [nodes[index]?.name ?? '', { main: [[{ node: name, type: 'main', index: 0 }]] }]),
    )
    const { workflow, report } = importN8n({ nodes, connections })
    expect(report.placeholders).toEqual([])
    const { id } = await created(host, workflow)
    const begun = await started(host, id)
    await workOff(host)
    const done = await execution(host, begun)
    expect(done).toMatchObject({ status: 'succeeded', error: null })
    expect([done.output].flat()).toEqual([{ text }])
  })
})
