import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createMemoryLog } from '../../../adapters/memory/log.ts'
import { warmUp } from '../../../adapters/node/warm-up.ts'

const files = globSync('handlers/*/*.ts', { cwd: fileURLToPath(new URL('../../..', import.meta.url)) })

test('every file of the areas can be loaded on its own', async () => {
  const log = createMemoryLog()
  expect(await warmUp(new AbortController().signal, log)).toBe(files.length)
  expect(log.lines).toEqual([])
})

test('other work gets its turn in between, and a stop ends it', async () => {
  const stopping = new AbortController()
  setImmediate(() => stopping.abort())
  expect(await warmUp(stopping.signal, createMemoryLog())).toBeLessThan(files.length)
})
