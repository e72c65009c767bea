import { expect, test } from 'vitest'
import { loadOnce } from '../../runtime/load-once.ts'

test('loads once, and again after a load that failed', async () => {
  const results = [Promise.reject(new Error('The disk is busy')), Promise.resolve('loaded'), Promise.resolve('again')]
  const load = loadOnce(async () => results.shift())
  await expect(Promise.all([load(), load()])).rejects.toThrow('The disk is busy')
  expect(await Promise.all([load(), load()])).toEqual(['loaded', 'loaded'])
  expect(await load()).toBe('loaded')
})
