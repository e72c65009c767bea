import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMemorySql } from '../../../adapters/memory/sql.ts'
import { excerptsOf } from '../../../runtime/english/highlight.ts'
import { stem } from '../../../runtime/english/stem.ts'
import { keywordQuery, termsOf } from '../../../runtime/memory/search/query.ts'

function marked(text: string, q: string): string[] {
  const query = keywordQuery(q)
  return query.kind === 'empty' ? [] : excerptsOf([text], termsOf(query))
}

test('stems words as the index does', async () => {
  const texts = globSync('test/fixtures/memory/*.json').map((file) => readFileSync(file, 'utf8').toLowerCase())
  const words = [...new Set(texts.join(' ').match(/[a-z]+/g) ?? []), 'eed', 'yyyy', 'x'.repeat(70)]
  const sql = createMemorySql()
  await sql.write([
    { sql: `CREATE VIRTUAL TABLE words USING fts5 (word, tokenize='porter unicode61')` },
    { sql: `CREATE VIRTUAL TABLE stems USING fts5vocab ('words', 'instance')` },
    {
      sql: 'INSERT INTO words (rowid, word) SELECT key, value FROM json_each(?)',
      args: [JSON.stringify(words)],
    },
  ])
  const stems = await sql.read<{ term: string }>('SELECT term FROM stems ORDER BY doc')

  expect(words.length).toBeGreaterThan(500)
  expect(words.map(stem)).toEqual(stems.map(({ term }) => term))
})

test('marks the forms of a word, and a compound as a whole', () => {
  expect(marked('She runs; he was running', 'run')).toEqual(['She <mark>runs</mark>; he was <mark>running</mark>'])
  expect(marked('The id of user-id is 42', 'user-id')).toEqual(['The <mark>id</mark> of <mark>user-id</mark> is 42'])
  expect(marked('AT&T sends it', 'AT&T')).toEqual(['<mark>AT&amp;T</mark> sends it'])
})

test('the excerpt of a long text is where most of the words are, and ends between words', () => {
  const [excerpt = ''] = marked(
    `${'tea '.repeat(300)}${'and more '.repeat(300)}green tea ${'later '.repeat(300)}`,
    'green tea',
  )

  expect(excerpt).toMatch(/^…(?:and |more )+<mark>green<\/mark> <mark>tea<\/mark>(?: later)+…$/)
  expect(excerpt.length).toBeLessThan(260)
})

test('a text that is one word is cut', () => {
  const [excerpt = ''] = marked('日'.repeat(30_000), '日日')

  expect(excerpt).toBe(`<mark>${'日'.repeat(180)}</mark>…`)
})
