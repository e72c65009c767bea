import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createMemoryLog } from '../../../adapters/memory/log.ts'
import { loadToolsInTurn, warmUp } from '../../../adapters/node/warm-up.ts'
import type { Tool } from '../../../runtime/tools/tool.ts'

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

test('tools load one area per iteration of the event loop, and once', async () => {
  let iteration = 0
  let counting = true
  const count = () => {
    iteration += 1
    if (counting) setImmediate(count)
  }
  count()
  const loaded: number[] = []
  const area = (name: string) => ({
    name,
    tools: async () => {
      loaded.push(iteration)
      return [{ name } as Tool]
    },
  })
  const areas = loadToolsInTurn([area('chat'), { name: 'monitoring' }, area('files')])
  const toolsOf = async () => (await Promise.all(areas.map(({ tools }) => tools?.() ?? []))).flat()
  expect((await toolsOf()).map(({ name }) => name)).toEqual(['chat', 'files'])
  await toolsOf()
  counting = false
  expect(loaded).toHaveLength(2)
  expect(loaded[1]).toBeGreaterThan(loaded[0] ?? 0)
})

test('tools that could not be loaded are loaded with the next call', async () => {
  let fails = true
  const tools = async () => {
    if (fails) throw new Error('There are no free file handles')
    return [{ name: 'chat' } as Tool]
  }
  const [area] = loadToolsInTurn([{ name: 'chat', tools }])
  await expect(area?.tools?.()).rejects.toThrow('no free file handles')
  fails = false
  expect(await area?.tools?.()).toEqual([{ name: 'chat' }])
})
