import { expect, test } from 'vitest'
import { builtPatterns, findPatterns, type Pattern, slowPatterns } from './patterns/find.ts'

/** The longest text that a pattern gets, if it is not 20,000 characters or more, and what ensures it. */
const limits: readonly { file: string; has: string; limit: number }[] = [
  // maxSentence
  { file: 'runtime/memory/graph/rule-reader.ts', has: '\\p{Lu}', limit: 400 },
  // maxSaid
  { file: 'adapters/browser/page/failure.ts', has: 'intercepts', limit: 4_000 },
]

const limitOf = ({ file, source }: Pattern): number =>
  limits.find((one) => one.file === file && source.includes(one.has))?.limit ?? 20_000

test('every regular expression of the program takes time in proportion to its text', async () => {
  const { literals, builders } = findPatterns()
  const all = [...literals, ...(await builtPatterns(builders))]
  const distinct = new Map(all.map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern]))
  const measured = [...distinct.values()].map((pattern) => ({ ...pattern, limit: limitOf(pattern) }))
  expect(literals.length).toBeGreaterThan(500)

  expect(await slowPatterns(measured)).toEqual([])
}, 600_000)

test('a pattern that is not linear is found', async () => {
  const patterns = ['\\s+$', '(a+)+b', 'x.*y.*z', 'fine'].map((source) => ({
    file: 'x.ts',
    source,
    flags: '',
    limit: 20_000,
  }))
  const found = await slowPatterns(patterns, 3_000)

  expect(found.map((line) => line.split(' ')[1])).toEqual(['/\\s+$/', '/(a+)+b/', '/x.*y.*z/'])
}, 300_000)
