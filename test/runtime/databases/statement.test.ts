import { describe, expect, test } from 'vitest'
import { databaseAddress, passwordApart } from '../../../runtime/databases/address.ts'
import {
  type Dialect,
  deleteStatement,
  insertStatements,
  updateStatements,
} from '../../../runtime/databases/dialect.ts'
import { statementsOf } from '../../../runtime/databases/statement.ts'

/** A text with `{{n}}` for the value at that place. */
const read = (text: string, values: readonly unknown[] = [], dialect: Dialect = 'postgres', numbered: unknown[] = []) =>
  statementsOf(
    text.split(/\{\{(\d)\}\}/).map((part, index) => (index % 2 === 0 ? part : values[Number(part)])),
    numbered,
    dialect,
  )

const hostile = `'; DROP TABLE t; --`

describe('a value in a statement', () => {
  test.each<[string, unknown[], string, unknown[]]>([
    ['SELECT {{0}}', [hostile], 'SELECT $1', [hostile]],
    ["SELECT '{{0}}'", [hostile], 'SELECT $1', [hostile]],
    ["SELECT '%{{0}}_{{1}} it''s'", ['a', 2], 'SELECT $1', ["%a_2 it's"]],
    ["SELECT '{{0}}'::jsonb", [{ a: "'" }], 'SELECT $1::jsonb', [`{"a":"'"}`]],
    ['SELECT {{0}}::jsonb', [{ a: 1 }], 'SELECT $1::jsonb', [{ a: 1 }]],
    ["SELECT interval '{{0}} days'", [3], 'SELECT $1::interval', ['3 days']],
    ["SELECT E'a\\n{{0}}'", ["\\'"], 'SELECT $1', ["a\n\\'"]],
    ['SELECT * FROM "{{0}}"', ['t"; DROP TABLE x; --'], 'SELECT * FROM "t""; DROP TABLE x; --"', []],
    ['SELECT 1 WHERE x IN ({{0}})', [[1, 'b']], 'SELECT 1 WHERE x IN ($1, $2)', [1, 'b']],
    ['SELECT 1 WHERE x IN ({{0}})', [[]], 'SELECT 1 WHERE x IN (NULL)', []],
    ['SELECT 1 -- {{0}}\n, 2', ['\n; DROP TABLE t'], 'SELECT 1  , 2', []],
    ['SELECT 1 /* {{0}} */', ['*/ ; DROP TABLE t'], 'SELECT 1', []],
    ['SELECT 1 LIMIT {{0}}', [5], 'SELECT 1 LIMIT 5', []],
    ['SELECT 1 LIMIT {{0}}', ['5; DROP'], 'SELECT 1 LIMIT $1', ['5; DROP']],
    ["SELECT 'never ends {{0}}", ['x'], 'SELECT $1', ['never ends x']],
    ['SELECT $$ ; {$1} $$', [], 'SELECT $$ ; {$1} $$', []],
  ])('%s', (text, given, sql, values) => {
    expect(read(text, given)).toEqual([{ text: sql, values }])
  })

  test.each<[string, unknown[], string, unknown[]]>([
    ["SELECT \"{{0}}\", 'a\\'{{1}}'", [hostile, 2], 'SELECT ?, ?', [hostile, "a'2"]],
    ['SELECT * FROM `{{0}}` # {{0}}', ['a`b'], 'SELECT * FROM `a``b`', []],
    ['SELECT 1--{{0}}', [2], 'SELECT 1--?', [2]],
    ['SELECT /*+ MAX_EXECUTION_TIME(1) */ {{0}}', [1], 'SELECT /*+ MAX_EXECUTION_TIME(1) */ ?', [1]],
  ])('of MySQL: %s', (text, given, sql, values) => {
    expect(read(text, given, 'mysql')).toEqual([{ text: sql, values }])
  })

  test('numbered values are bound where they stand, as often as they are named', () => {
    const text = "SELECT $1:name, $2, $1, $3:csv, $4:json, 'a $1', $2::int"
    expect(read(text, [], 'postgres', ['a"b', 5, [1, 2], { x: 1 }])).toEqual([
      { text: `SELECT "a""b", $1, $2, $3, $4, $5, 'a $1', $6::int`, values: [5, 'a"b', 1, 2, '{"x":1}', 5] },
    ])
    expect(read('SELECT $2, {{0}}, $1', ['v'], 'mysql', ['a', 'b'])).toEqual([
      { text: 'SELECT ?, ?, ?', values: ['b', 'v', 'a'] },
    ])
  })

  test.each([
    ['SELECT $2', '$2 has no value: 1 were given'],
    ['SELECT $1:raw', '$1:raw would make a value part of the text'],
    ['SELECT $1^', '$1:raw would make a value part of the text'],
    ['SELECT $a$ {{0}} $a$', 'an expression cannot stand between dollar quotes'],
    ['SELECT "{{1}}"', 'a name must not contain NUL'],
  ])('%s is refused', (text, message) => {
    expect(() => read(text, ['x', 'a\0'], 'postgres', ['x'])).toThrow(message)
  })

  test('statements are apart, each with its own values', () => {
    expect(read("INSERT INTO a VALUES ({{0}}, ';'); ; DELETE FROM b WHERE c = {{1}};", [1, 2])).toEqual([
      { text: "INSERT INTO a VALUES ($1, ';')", values: [1] },
      { text: 'DELETE FROM b WHERE c = $1', values: [2] },
    ])
  })

  test('a text of any size is read in linear time', () => {
    const text = `SELECT '${"''".repeat(40_000)}' ${'limit '.repeat(5_000)} {{0}}`
    expect(read(text, [hostile])[0]?.values).toEqual([hostile])
  })
})

describe('rows', () => {
  test('are added with the columns of all of them', () => {
    const rows = [{ id: 1 }, { id: 2, 'a"b': null }]
    const at = (dialect: Dialect) => insertStatements({ table: 's.t', dialect }, rows)[0]
    expect(at('postgres')).toEqual({
      text: `INSERT INTO "s"."t" ("id", "a""b") VALUES ($1, DEFAULT), ($2, $3) RETURNING *`,
      values: [1, 2, null],
    })
    expect(at('mysql')?.text).toBe('INSERT INTO `s`.`t` (`id`, `a"b`) VALUES (?, DEFAULT), (?, ?)')
    expect(at('sqlite')?.text).toContain('VALUES (?, NULL), (?, ?) RETURNING *')
  })

  test('are split, so that no statement has too many values', () => {
    const rows = Array.from({ length: 12_000 }, (_, a) => ({ a, b: 1 }))
    expect(insertStatements({ table: 't', dialect: 'postgres' }, rows).map(({ values }) => values.length)).toEqual([
      10_000, 10_000, 4_000,
    ])
  })

  test('are changed and deleted by columns, with null as no value', () => {
    const target = { table: 't', dialect: 'sqlite' } as const
    expect(updateStatements(target, [{ a: 1, b: null, c: 3 }], ['a', 'b'])).toEqual([
      { text: 'UPDATE "t" SET "c" = ? WHERE "a" = ? AND "b" IS NULL RETURNING *', values: [3, 1] },
    ])
    expect(deleteStatement(target, { a: 1 })).toEqual({
      text: 'DELETE FROM "t" WHERE "a" = ? RETURNING *',
      values: [1],
    })
    expect(() => deleteStatement(target, {})).toThrow('say which rows to delete')
    expect(() => updateStatements(target, [{ a: 1 }], ['a'])).toThrow('a value to change')
    expect(() => updateStatements(target, [{ b: 1 }], ['a'])).toThrow('no value for the column a')
    expect(() => insertStatements(target, [{ b: 1 }], { match: ['a'] })).toThrow('no value for the column a')
  })
})

describe('an address', () => {
  test.each([
    ['postgres://ada:p%40ss@db.example.com/shop', { engine: 'postgres', port: 5432, password: 'p@ss', tls: 'checked' }],
    ['postgresql://ada@10.0.0.5:5433/shop', { engine: 'postgres', host: '10.0.0.5', port: 5433, tls: 'none' }],
    ['mysql://ada@db.example.com/shop?sslmode=require', { engine: 'mysql', database: 'shop', tls: 'unchecked' }],
    ['mysql://ada@db.example.com/shop?ssl-mode=DISABLE', { tls: 'none' }],
    ['rediss://:x@cache.example.com/2', { engine: 'redis', port: 6379, database: '2', tls: 'checked' }],
    ['redis://localhost', { host: 'localhost', tls: 'none' }],
    ['mysql://a@fcdb.example.com/x', { tls: 'checked' }],
    ['mysql://a@10.example.com/x', { tls: 'checked' }],
    ['mysql://a@localhost.example.com/x', { tls: 'checked' }],
    ['mysql://a@[fd00::1]/x', { host: 'fd00::1', tls: 'none' }],
    ['mysql://a@nas.local/x', { tls: 'none' }],
    ['mysql://a@172.16.0.1/x', { tls: 'none' }],
    ['mysql://a@8.8.8.8/x', { tls: 'checked' }],
    ['sqlite:///srv/my%20shop.db', { engine: 'sqlite', database: '/srv/my shop.db' }],
  ])('%s', (url, address) => {
    expect(databaseAddress(url)).toMatchObject(address)
  })

  test.each([
    'db.example.com',
    'http://x/y',
    'postgres:///shop',
    'sqlite://host/x',
    'mysql://x/y?sslmode=maybe',
    'postgres://a%@x/y',
  ])('%s is refused', (url) => {
    expect(databaseAddress(url)).toEqual(expect.stringMatching(/^(must|has) /))
  })

  test('and its password are stored apart', () => {
    expect(passwordApart('postgres://ada:p%40ss@x/y')).toEqual({ url: 'postgres://ada@x/y', password: 'p@ss' })
  })
})
