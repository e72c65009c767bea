import { afterAll, describe, expect, test, vi } from 'vitest'
import { LocalEmbedder } from '../../../adapters/embedder/local.ts'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createWordEmbedder } from '../../../adapters/memory/embedder.ts'
import { embedderContract } from '../../contracts/embedder.ts'

const shared = new LocalEmbedder({ clock: createFakeClock(), idle_ms: 60_000 })
afterAll(() => shared.close())

describe('the local model', () => embedderContract(async () => ({ embedder: shared, access: { provider: 'local' } })))

describe('the in-memory embedder', () =>
  embedderContract(async () => ({ embedder: createWordEmbedder(), access: { provider: 'local' } })))

const call = (texts: string[], purpose: 'query' | 'passage' = 'passage') =>
  ({ provider: 'local', model: null, texts, purpose }) as const

const cosine = (left: Float32Array | undefined, right: Float32Array | undefined) =>
  (left ?? new Float32Array()).reduce((sum: number, value, index) => sum + value * (right?.[index] ?? 0), 0)

test('texts with similar meanings are nearer than others', async () => {
  const [dog, puppy, tax] = await shared.embed(
    call(['The dog is ill', 'Our puppy feels sick', 'The tax return is due in April']),
  )

  expect(cosine(dog, puppy)).toBeGreaterThan(cosine(dog, tax) + 0.2)
  expect(dog).toHaveLength(512)
})

test('refuses a blank text', async () => {
  await expect(shared.embed(call(['tea', ' ']))).rejects.toThrow('Blank')
})

test('queries take precedence over passages', async () => {
  const order: string[] = []
  const many = Array.from({ length: 64 }, (_, index) => `a passage with the number ${index}`)
  const passages = shared.embed(call(many)).then(() => order.push('passages'))
  const query = shared.embed(call(['a question'], 'query')).then(() => order.push('query'))
  await Promise.all([passages, query])

  expect(order).toEqual(['query', 'passages'])
})

test('an aborted call leaves the queue, and the others continue', async () => {
  const stop = new AbortController()
  const long = shared.embed({ ...call(Array(64).fill('a passage')), signal: stop.signal })
  const other = shared.embed(call(['another passage']))
  stop.abort(new Error('enough'))

  await expect(long).rejects.toThrow('enough')
  expect(await other).toHaveLength(1)
})

test('the model is loaded on first use, unloaded when idle, and loaded again', async () => {
  const clock = createFakeClock()
  const embedder = new LocalEmbedder({ clock, idle_ms: 1_000 })
  expect(embedder.pid).toBeUndefined()
  const [first] = await embedder.embed(call(['tea']))
  await clock.advance(999)
  expect(embedder.pid).toBeDefined()
  await clock.advance(1)
  expect(embedder.pid).toBeUndefined()

  expect(await embedder.embed(call(['tea']))).toEqual([first])
  await embedder.close()
  expect(embedder.pid).toBeUndefined()
})

test('an abort of the model fails the call that it computes, and the next call starts it again', async () => {
  const embedder = new LocalEmbedder({ clock: createFakeClock(), idle_ms: 1_000 })
  const [first] = await embedder.embed(call(['tea']))
  const failing = embedder.embed(call(Array(16).fill('a passage')))
  process.kill(embedder.pid ?? 0, 'SIGABRT')

  await expect(failing).rejects.toThrow('its process has ended')
  expect(await embedder.embed(call(['tea']))).toEqual([first])
  await embedder.close()
})

test('the memory of the model is returned when it is unloaded', async () => {
  const clock = createFakeClock()
  const embedder = new LocalEmbedder({ clock, idle_ms: 1_000 })
  await embedder.embed(call(['tea']))
  const { pid = 0 } = embedder
  await clock.advance(1_000)

  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
  await embedder.close()
})

test("embedding does not block the caller's thread", async () => {
  let turns = 0
  let done = false
  const embedding = shared.embed(call(Array(32).fill('a text that takes a while'))).then(() => {
    done = true
  })
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  await embedding

  expect(turns).toBeGreaterThan(20)
})
