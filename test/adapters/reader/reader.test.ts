import { afterAll, describe, expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createReader } from '../../../adapters/memory/reader.ts'
import { ThreadReader } from '../../../adapters/reader/reader.ts'
import { ReaderError } from '../../../runtime/ports/reader.ts'
import { readerContract } from '../../contracts/reader.ts'
import { pdf } from '../../files/documents-kit.ts'

const shared = new ThreadReader({ clock: createFakeClock(), idle_ms: 60_000 })
afterAll(() => shared.close())

describe('the thread', () => readerContract(async () => shared))
describe('the reader in memory', () => readerContract(async () => createReader(createFakeClock())))

const long = 'Anna Miller met Bob Tanaka in Berlin, and they went to Vienna. '.repeat(20)

test("the caller's thread is not blocked while texts are read", async () => {
  let turns = 0
  let done = false
  const reading = shared.names(Array(8).fill(long)).then(() => {
    done = true
  })
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve))
    turns += 1
  }
  await reading

  expect(turns).toBeGreaterThan(20)
})

test('its thread starts with the first text, ends when idle, and starts again', async () => {
  const clock = createFakeClock()
  const reader = new ThreadReader({ clock, idle_ms: 1_000 })
  expect(reader.loaded).toBe(false)
  const first = await reader.names(['tea in Berlin'])
  await clock.advance(999)
  expect(reader.loaded).toBe(true)
  await clock.advance(1)
  expect(reader.loaded).toBe(false)

  expect(await reader.names(['tea in Berlin'])).toEqual(first)
  await reader.close()
  expect(reader.loaded).toBe(false)
})

test('waiting callers get an error when it is closed', async () => {
  const reader = new ThreadReader({ clock: createFakeClock(), idle_ms: 1_000 })
  const waiting = reader.names([long])
  const told = expect(waiting).rejects.toBeInstanceOf(ReaderError)
  await reader.close()
  await told
})

test('a document that takes too long ends with its process, and the next one is read', async () => {
  const clock = createFakeClock()
  const reader = new ThreadReader({ clock, idle_ms: 1_000 })
  const bytes = pdf([['Dear Anna']])
  const slow = reader.document({ kind: 'pdf', bytes, max_characters: 100 })
  const refused = expect(slow).rejects.toThrow('it takes longer than 30 s to read')
  await clock.advance(30_000)
  await refused

  expect(await reader.document({ kind: 'pdf', bytes, max_characters: 100 })).toMatchObject({
    truncated: false,
  })
  await reader.close()
})

test('closing ends the process of a document', async () => {
  const reader = new ThreadReader({ clock: createFakeClock(), idle_ms: 1_000 })
  const reading = reader.document({ kind: 'pdf', bytes: pdf([['Dear Anna']]), max_characters: 100 })
  const refused = expect(reading).rejects.toBeInstanceOf(ReaderError)
  await new Promise((resolve) => setImmediate(resolve))
  await reader.close()
  await refused
})

test('a document that needs too much memory ends its process only', async () => {
  const reader = new ThreadReader({ clock: createFakeClock(), idle_ms: 1_000, document_mb: 16 })
  const page = Array.from({ length: 40_000 }, (_, index) => `Line ${index} of a long letter`)
  const reading = reader.document({ kind: 'pdf', bytes: pdf([page]), max_characters: 10_000_000 })

  await expect(reading).rejects.toThrow('its process has ended')
  await reader.close()
})
