import { expect, test } from 'vitest'
import { snapshot } from '../../runtime/sandbox/script-memory.ts'

const MiB = 1024 * 1024

/** Memory with an unused stretch of 9 MB between what is in use. */
function memoryInUse() {
  const memory = new WebAssembly.Memory({ initial: 160, maximum: 320 })
  const bytes = () => new Uint8Array(memory.buffer)
  bytes().set([1, 2], 0)
  bytes().set([3, 4], 9 * MiB)
  const values = () => [0, 5 * MiB, 9 * MiB, 9.5 * MiB, 15 * MiB].map((at) => bytes()[at])
  return { memory, bytes, values }
}

test('what was in use is put back, after the memory has grown', () => {
  const { memory, bytes, values } = memoryInUse()
  const before = snapshot(memory)
  memory.grow(160)
  for (const at of [0, 9 * MiB]) bytes()[at] = 9
  before.restore()
  expect(values()).toEqual([1, 0, 3, 0, 0])
})

test('what a call has left behind and in the unused stretch is cleared before another snapshot', () => {
  const { memory, bytes, values } = memoryInUse()
  const before = snapshot(memory)
  memory.grow(160)
  bytes().fill(9, MiB)
  before.restore()
  expect(values()).toEqual([1, 9, 3, 9, 9])
  before.clear()
  expect(values()).toEqual([1, 0, 3, 0, 0])
})
