import { afterAll, beforeAll, expect, test } from 'vitest'
import { LocalEmbedder } from '../../adapters/embedder/local.ts'
import { createFakeClock } from '../../adapters/memory/clock.ts'
import { noEmbedder } from '../../adapters/memory/embedder.ts'
import type { SearchMode } from '../../runtime/memory/schema.ts'
import { readDataset } from '../bench/memory/dataset.ts'
import { ask, type Memory, remember } from '../bench/memory/evaluate.ts'
import { averageOf } from '../bench/memory/metrics.ts'
import { ownFixture } from '../bench/memory/quality.ts'

const conversations = readDataset(ownFixture)
const embedder = new LocalEmbedder({ clock: createFakeClock(), idle_ms: 60_000 })
let whole: Memory
let wordsOnly: Memory

beforeAll(async () => {
  whole = await remember(conversations, embedder)
  wordsOnly = await remember(conversations, noEmbedder)
}, 60_000)
afterAll(() => embedder.close())

/** Percentages without what is behind the point: floating-point numbers differ a little between machines. */
async function scores(memory: Memory, mode: SearchMode, scope: 'conversation' | 'all') {
  const { r5, r10, r20, ndcg10, mrr } = averageOf(await ask(memory, conversations, { mode, scope }))
  return [r5, r10, r20, ndcg10, mrr].map(Math.round)
}

test('the fixture has 268 turns and 85 questions with their evidence', () => {
  const turns = conversations.flatMap(({ sessions }) => sessions.flatMap((session) => session.turns))

  expect(turns).toHaveLength(268)
  expect(conversations.flatMap(({ questions }) => questions)).toHaveLength(85)
})

test.each([
  ['keyword', 'conversation', [48, 52, 69, 42, 40]],
  ['semantic', 'conversation', [73, 83, 96, 61, 56]],
  ['hybrid', 'conversation', [83, 97, 99, 73, 65]],
  ['keyword', 'all', [45, 50, 65, 38, 36]],
  ['semantic', 'all', [65, 81, 87, 58, 52]],
  ['hybrid', 'all', [82, 92, 98, 70, 63]],
] as const)('%s in scope %s has R@5, R@10, R@20, nDCG@10 and MRR %j', async (mode, scope, expected) => {
  expect(await scores(whole, mode, scope)).toEqual(expected)
})

test.each([
  ['conversation', [73, 85, 93, 61, 54]],
  ['all', [70, 82, 92, 58, 51]],
] as const)('hybrid without vectors in scope %s has %j', async (scope, expected) => {
  expect(await scores(wordsOnly, 'hybrid', scope)).toEqual(expected)
})

test.each(['conversation', 'all'] as const)(
  'hybrid is better than either of its halves in scope %s',
  async (scope) => {
    const [keyword, semantic, hybrid] = await Promise.all(
      (['keyword', 'semantic', 'hybrid'] as const).map((mode) => scores(whole, mode, scope)),
    )
    for (const [index, value] of (hybrid ?? []).entries())
      expect(value).toBeGreaterThanOrEqual(Math.max(keyword?.[index] ?? 100, semantic?.[index] ?? 100))
  },
)
