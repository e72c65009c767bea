import { expect, test } from 'vitest'
import { cosineFrom, maxCodeBytes, meanOf } from '../../../runtime/memory/search/vector-codes.ts'
import { VectorRows } from '../../../runtime/memory/search/vector-index.ts'
import { firstId } from '../../../runtime/memory/search/vector-store.ts'
import { madeUpEmbedder, madeUpTexts } from '../../bench/memory/made-up.ts'

const count = 5_000
const embed = (texts: string[]): Promise<Float32Array[]> =>
  madeUpEmbedder.embed({ provider: 'local', model: null, texts, purpose: 'passage' })

async function filled() {
  const texts = madeUpTexts(1)
  const vectors = await embed(Array.from({ length: count }, (_, index) => texts.text(8 + (index % 25))))
  const rows = new VectorRows(meanOf(vectors))
  for (const [episode, vector] of vectors.entries()) rows.add(row(episode, vector))
  return { rows, vectors }
}

const row = (episode: number, vector: Float32Array) => ({
  id: firstId(episode),
  vector: new Uint8Array(vector.buffer),
  owner_id: '',
  agent_id: null,
  source: 'manual',
  created_at: '2026-01-05T12:00:00.000Z',
})

async function directions(mean: Float32Array): Promise<Float32Array[]> {
  const questions = await embed(Array.from({ length: 30 }, (_, seed) => madeUpTexts(seed + 7).question(5)))
  return questions.map((vector) => vector.map((value, at) => value - (mean[at] ?? 0)))
}

const best = (scores: Iterable<readonly [number, number]>, most: number): number[] =>
  [...scores]
    .sort((left, right) => right[1] - left[1])
    .slice(0, most)
    .map(([id]) => id)

test('cosines from bytes are nearly exact, so the nearest vectors are the same', async () => {
  const { rows, vectors } = await filled()
  const [all, found] = [vectors.map((_, episode) => firstId(episode)), [] as number[]]
  for (const direction of await directions(rows.mean)) {
    const { cosines, missing } = rows.measure(all, direction)
    const exact = vectors.map(
      (vector, episode) => [firstId(episode), cosineFrom(rows.mean, direction, vector)] as const,
    )
    const nearest = new Set(best(cosines, 20))
    found.push(best(exact, 20).filter((id) => nearest.has(id)).length)

    expect(missing).toEqual([])
    const errors = exact.map(([id, cosine]) => Math.abs(cosine - (cosines.get(id) ?? 9)))
    expect(Math.max(...errors)).toBeLessThan(0.002)
  }
  expect(found.reduce((sum, one) => sum + one) / found.length / 20).toBeGreaterThanOrEqual(0.99)
})

test('a removed row is replaced by the last row', async () => {
  const { rows, vectors } = await filled()
  const [direction] = await directions(rows.mean)
  const all = vectors.map((_, episode) => firstId(episode))
  const whole = rows.measure(all, direction as Float32Array)
  for (let episode = 0; episode < count; episode += 3) rows.drop(episode)
  const left = rows.measure(all, direction as Float32Array)

  expect(rows.size).toBe(count - left.missing.length)
  expect(left.missing).toEqual(all.filter((_, episode) => episode % 3 === 0))
  for (const [id, cosine] of left.cosines) expect(cosine).toBe(whole.cosines.get(id))
})

test('vectors beyond the cache are found and reported as missing', () => {
  const dimensions = 8_192
  const mean = new Float32Array(dimensions)
  const rows = new VectorRows(mean)
  const room = maxCodeBytes / dimensions
  const vector = mean.map((_, index) => (index % 3) - 1)
  for (let episode = 0; episode < room; episode += 1) rows.add(row(episode, mean))
  rows.add(row(room, vector))

  expect(rows.nearest(vector, {}, 1)).toEqual([firstId(room)])
  expect(rows.measure([firstId(room)], vector)).toEqual({ cosines: new Map(), missing: [firstId(room)] })
})
