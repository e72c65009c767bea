import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { steepPairs } from './pairs/measure.ts'
import { type Operation, operations } from './pairs/operations.ts'
import { pairs } from './pairs/texts.ts'
import { root } from './patterns/find.ts'

const newHost = () => testHost({ models: scriptedModels(text('Yes.'), text('Yes.')) })

test.each([...operations])(
  '$name: work in proportion to the stored and the asked text',
  async (operation) => {
    expect(await steepPairs(newHost, operation, pairs)).toEqual([])
  },
  300_000,
)

test('an operation that compares all with all is found', async () => {
  const snippet = `SELECT snippet(words, 0, '', '', '', 24) FROM words WHERE words MATCH '"1 1 1 1"'`
  const quadratic: Operation = {
    name: 'snippet',
    stored: 8_000,
    asked: 20,
    async open(host, stored) {
      await host.sql.write([
        { sql: 'CREATE VIRTUAL TABLE words USING fts5 (text)' },
        { sql: 'INSERT INTO words VALUES (?)', args: [stored] },
      ])
      return () => host.sql.read(snippet)
    },
  }
  const hostile = pairs.filter(({ name }) => name === '"1-"')

  expect(await steepPairs(newHost, quadratic, hostile)).toEqual(['"1-"'])
}, 300_000)

test('no statement uses a function of FTS5 that takes quadratic time', () => {
  const files = globSync('{runtime,handlers,adapters}/**/*.ts', { cwd: root })
  const quadratic = /\bsnippet\(|\bhighlight\(\w*_?(?:fts|words|pieces)/
  const used = files.filter((file) => quadratic.test(readFileSync(root + file, 'utf8')))

  expect(files.length).toBeGreaterThan(500)
  expect(used).toEqual([])
})
