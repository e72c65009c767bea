import { join } from 'node:path'
import { LocalEmbedder } from '../../../adapters/embedder/local.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { noEmbedder } from '../../../adapters/memory/embedder.ts'
import type { Row } from '../table.ts'
import { type Conversation, readDataset } from './dataset.ts'
import { type Asked, ask, type Memory, remember } from './evaluate.ts'
import { averageOf } from './metrics.ts'

export const ownFixture = join(import.meta.dirname, '../../fixtures/memory')

/** How many of the right episodes searches find in a folder of conversations with questions. */
export async function run(folder = ownFixture): Promise<Row[]> {
  const conversations = readDataset(folder)
  const embedder = new LocalEmbedder({ clock: createFakeClock(), idle_ms: 60_000 })
  try {
    const whole = await remember(conversations, embedder)
    const wordsOnly = await remember(conversations, noEmbedder)
    return [
      ...(await scores(whole, wordsOnly, { conversations, scope: 'conversation' })),
      ...(await scores(whole, wordsOnly, { conversations, scope: 'all' })),
    ]
  } finally {
    await embedder.close()
  }
}

async function scores(
  whole: Memory,
  wordsOnly: Memory,
  { conversations, scope }: { conversations: readonly Conversation[]; scope: 'conversation' | 'all' },
): Promise<Row[]> {
  const hybrid = await ask(whole, conversations, { mode: 'hybrid', scope })
  if (hybrid.length === 0) return []
  const where = scope === 'all' ? 'everywhere' : 'in the own conversation'
  return [
    ...rowsOf(`keyword, ${where}`, await ask(whole, conversations, { mode: 'keyword', scope })),
    ...rowsOf(`semantic, ${where}`, await ask(whole, conversations, { mode: 'semantic', scope })),
    ...rowsOf(`hybrid without vectors, ${where}`, await ask(wordsOnly, conversations, { mode: 'hybrid', scope })),
    ...rowsOf(`hybrid, ${where}`, hybrid),
    ...byCategory(hybrid).flatMap(([category, some]) =>
      rowsOf(`hybrid, ${where}, ${category}`, some).filter(({ what }) => /R@10|MRR/.test(what)),
    ),
  ]
}

function rowsOf(what: string, asked: readonly Asked[]): Row[] {
  const { r5, r10, r20, ndcg10, mrr } = averageOf(asked)
  const note = `${asked.length} questions`
  const named = { 'R@5': r5, 'R@10': r10, 'R@20': r20, 'nDCG@10': ndcg10, MRR: mrr }
  return Object.entries(named).map(([name, value]) => ({ what: `${what}: ${name}`, value, unit: '%', note }))
}

const byCategory = (asked: readonly Asked[]): [string, Asked[]][] => [
  ...Map.groupBy(
    asked.filter(({ category }) => category !== undefined),
    ({ category }) => category ?? '',
  ),
]
