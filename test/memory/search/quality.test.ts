import { afterAll, beforeAll, expect, test } from 'vitest'
import { LocalEmbedder } from '../../../adapters/embedder/local.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { noEmbedder } from '../../../adapters/memory/embedder.ts'
import type { SearchMode } from '../../../runtime/memory/schema.ts'
import { readDataset } from '../../bench/memory/dataset.ts'
import { ask, type Memory, remember } from '../../bench/memory/evaluate.ts'
import { Locomo } from '../../bench/memory/locomo.ts'
import { averageOf, scoresOf } from '../../bench/memory/metrics.ts'
import { ownFixture } from '../../bench/memory/quality.ts'

test('parses a file of the LoCoMo benchmark', () => {
  const sample = {
    sample_id: 'conv-1',
    conversation: {
      speaker_a: 'Ann',
      speaker_b: 'Ben',
      session_1_date_time: '1:56 pm on 8 May, 2023',
      session_1: [
        { speaker: 'Ann', dia_id: 'D1:1', text: 'Look!', blip_caption: 'a boat', img_url: ['x'] },
        { speaker: 'Ben', dia_id: 'D1:2', text: 'Nice.' },
      ],
      session_2_date_time: '12:05 am on 1 June, 2023',
    },
    qa: [
      { question: 'What did Ann show?', answer: 'a boat', evidence: ['D1:1; D1:2'], category: 4 },
      { question: 'Who?', adversarial_answer: 'Ben', category: 5 },
    ],
  }

  expect(Locomo.parse([sample])).toEqual([
    {
      id: 'conv-1',
      sessions: [
        {
          id: 'session_1',
          date: '2023-05-08T13:56:00.000Z',
          turns: [
            { id: 'D1:1', speaker: 'Ann', text: 'Look! (shares a picture of a boat)' },
            { id: 'D1:2', speaker: 'Ben', text: 'Nice.' },
          ],
        },
      ],
      questions: [
        {
          question: 'What did Ann show?',
          evidence: ['D1:1', 'D1:2'],
          category: 'category 4',
          scope: undefined,
        },
        { question: 'Who?', evidence: [], category: 'category 5', scope: undefined },
      ],
    },
  ])
})

test('scores of a ranking', () => {
  expect(scoresOf(['x', 'a', 'y', 'z', 'w', 'b'], new Set(['a', 'b']))).toEqual({
    r5: 0.5,
    r10: 1,
    r20: 1,
    ndcg10: expect.closeTo((1 / Math.log2(3) + 1 / Math.log2(7)) / (1 + 1 / Math.log2(3))),
    mrr: 0.5,
  })
  expect(scoresOf(['x'], new Set(['a']))).toEqual({ r5: 0, r10: 0, r20: 0, ndcg10: 0, mrr: 0 })
})

const conversations = readDataset(ownFixture)
const embedder = new LocalEmbedder({ clock: createFakeClock(), idle_ms: 60_000 })
let whole: Memory
let wordsOnly: Memory

beforeAll(async () => {
  whole = await remember(conversations, embedder)
  wordsOnly = await remember(conversations, noEmbedder)
}, 300_000)
afterAll(() => embedder.close())

/** Rounded percentages: floating-point results differ slightly between machines. */
async function scores(memory: Memory, mode: SearchMode, scope: 'conversation' | 'all') {
  const { r5, r10, r20, ndcg10, mrr } = averageOf(await ask(memory, conversations, { mode, scope }))
  return [r5, r10, r20, ndcg10, mrr].map(Math.round)
}

test('the fixture has 268 turns and 85 questions with evidence', () => {
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

test.each(['conversation', 'all'] as const)('hybrid is better than either of its halves in scope %s', async (scope) => {
  const [keyword, semantic, hybrid] = await Promise.all(
    (['keyword', 'semantic', 'hybrid'] as const).map((mode) => scores(whole, mode, scope)),
  )
  for (const [index, value] of (hybrid ?? []).entries())
    expect(value).toBeGreaterThanOrEqual(Math.max(keyword?.[index] ?? 100, semantic?.[index] ?? 100))
})
