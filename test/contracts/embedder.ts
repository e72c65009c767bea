import { expect, test } from 'vitest'
import type { EmbedCall, Embedder } from '../../runtime/ports/embedder.ts'
import { EmbeddingError } from '../../runtime/ports/embedder.ts'

export interface EmbedderUnderTest {
  embedder: Embedder
  /** A provider that it has, with its key if it needs one. */
  access: Pick<EmbedCall, 'provider' | 'api_key' | 'base_url'>
}

const dot = (left: Float32Array = new Float32Array(), right: Float32Array = new Float32Array()) =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0)

/** What every embedder must do. `create` is called once per test. */
export function embedderContract(create: () => Promise<EmbedderUnderTest>): void {
  const asked = (access: EmbedderUnderTest['access'], texts: string[], signal?: AbortSignal): EmbedCall => ({
    ...access,
    model: null,
    texts,
    purpose: 'passage',
    ...(signal ? { signal } : {}),
  })

  test('describes its model, and returns null for an unknown provider', async () => {
    const { embedder, access } = await create()

    expect(embedder.describe(access.provider, null)?.name).toMatch(new RegExp(`^${access.provider}/.`))
    expect(embedder.describe('nobody', null)).toBeNull()
    expect(embedder.describe('constructor', null)).toBeNull()
  })

  test('returns one vector per text, in order, all of the same length', async () => {
    const { embedder, access } = await create()
    const texts = ['the cat sleeps on the sofa', 'quarterly numbers for accounting', 'the cat sleeps on the sofa']
    const vectors = await embedder.embed(asked(access, texts))

    expect(vectors).toHaveLength(3)
    expect(new Set(vectors.map(({ length }) => length)).size).toBe(1)
    expect(dot(vectors[0], vectors[2])).toBeCloseTo(dot(vectors[0], vectors[0]), 3)
    expect(dot(vectors[0], vectors[1])).toBeLessThan(dot(vectors[0], vectors[0]) * 0.9)
  })

  test('returns no vectors for no texts', async () => {
    const { embedder, access } = await create()

    expect(await embedder.embed(asked(access, []))).toEqual([])
  })

  test('refuses an unknown provider', async () => {
    const { embedder } = await create()

    await expect(embedder.embed(asked({ provider: 'nobody' }, ['tea']))).rejects.toBeInstanceOf(EmbeddingError)
  })

  test('throws the reason of the signal', async () => {
    const { embedder, access } = await create()
    const stopped = AbortSignal.abort(new Error('enough'))

    await expect(embedder.embed(asked(access, ['tea'], stopped))).rejects.toThrow('enough')
  })
}
