import Database from 'libsql'
import { expect, test } from 'vitest'
import { LocalSql } from '../../../adapters/libsql/local.ts'
import { create } from '../../../handlers/memory/episodes.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { contents, find, hostWith } from './support.ts'

test.each([
  ["what's up", ["What's up with the boiler: it leaks"]],
  ['user-id', ['The user-id is 42']],
  ['C++', ['He writes C++ daily']],
  ['*', []],
  ['"', []],
  ['" OR 1=1 --', []],
  ['"unbalanced leaks', ["What's up with the boiler: it leaks"]],
  ['NEAR(', []],
  ['NOT AND OR', []],
  ['content : leaks', ["What's up with the boiler: it leaks"]],
  ['🎉', ['Party on Friday 🎉']],
  ['🎂', []],
  ['寿司', ['父は寿司が大好きです']],
  ['お父さんの好きな食べ物は寿司ですか', ['父は寿司が大好きです']],
  ['{leaks}', ["What's up with the boiler: it leaks"]],
  ['leaks '.repeat(1_666), ["What's up with the boiler: it leaks"]],
  ['x'.repeat(10_000), []],
])('finds the expected episodes for %j', async (q, expected) => {
  const host = await hostWith(
    "What's up with the boiler: it leaks",
    'The user-id is 42',
    'He writes C++ daily',
    '父は寿司が大好きです',
    'Party on Friday 🎉',
  )
  expect(contents(await find(host, q))).toEqual(expected)
})

test('highlights matches in a script without spaces', async () => {
  const { results } = await find(await hostWith('父は寿司が大好きです', '母は天ぷら'), '寿司が好き')

  expect(results.map(({ highlights }) => highlights)).toEqual([['父は<mark>寿司が</mark>大<mark>好き</mark>です']])
})

test('highlights an emoji whole, whatever its skin tone, and a family by one member', async () => {
  const host = await hostWith('Well done 👍🏽 Ada', 'Sunday with 👨‍👩‍👧 and Rex', 'Trip to 🇩🇪', 'I ❤️ tea')
  const marked = async (q: string) => (await find(host, q)).results.flatMap(({ highlights }) => highlights)

  expect(await marked('👍')).toEqual(['Well done <mark>👍🏽</mark> Ada'])
  expect(await marked('👩')).toEqual(['Sunday with <mark>👨‍👩‍👧</mark> and Rex'])
  expect(await marked('👨‍👩‍👧')).toEqual(['Sunday with <mark>👨‍👩‍👧</mark> and Rex'])
  expect(await marked('🇩🇪')).toEqual(['Trip to <mark>🇩🇪</mark>'])
  expect(await marked('🇫🇷')).toEqual([])
  expect(await marked('❤')).toEqual(['I <mark>❤️</mark> tea'])
})

test.each([
  ['C++', 'He writes C++ daily'],
  ['.NET', 'The service runs on .NET 9'],
  ['C#', 'A song in C# minor'],
  ['version 2.10.1', 'The boiler runs version 2.10.1'],
  ['/etc/nginx/nginx.conf', 'Edit /etc/nginx/nginx.conf first'],
  ['ada@example.org', 'Write to ada@example.org'],
  ['2024-05-17', 'Born on 2024-05-17'],
  ['서울', '서울에서 살아요'],
  ['Москва', 'Я живу в Москве'],
  ['AT&T', 'AT&T sends the bill'],
  ['cafe', 'The café is closed'],
])('%s finds whole matches before partial ones', async (q, first) => {
  const host = await hostWith(
    first,
    'Vitamin C, C and C again, net of tax: version 10, 2, 1 of 17 05 2024',
    'Ada at the org, for example nginx conf etc',
    'The net result of c',
  )
  expect(contents(await find(host, q))[0]).toBe(first)
})

test('finds and marks the same in the database that ships', async () => {
  const sql = new LocalSql(new Database(':memory:'), async () => ({ bytes: 0, wal_bytes: 0 }))
  const host = await testHost({ sql })
  for (const content of ['Anna has a boat', '父は寿司が大好きです']) await call(create, host, { body: { content } })
  const marked = async (q: string) =>
    (await find(host, q, { source: 'manual' })).results.map(({ highlights }) => highlights)

  expect(await marked('whose boat?')).toEqual([['Anna has a <mark>boat</mark>']])
  expect(await marked('寿司')).toEqual([['父は<mark>寿司</mark>が大好きです']])
  await sql.close()
})
