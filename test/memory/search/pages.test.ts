import { expect, test } from 'vitest'
import { create } from '../../../handlers/memory/episodes.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'
import { contents, find, hostWith } from './support.ts'

test.each(['hybrid', 'keyword', 'semantic'])(
  '%s tells the same total on every page, also beyond the last',
  async (mode) => {
    const host = await hostWith(...Array.from({ length: 9 }, (_, index) => `boat number ${index}`))
    await workOff(host)
    const page = (offset: number) => find(host, 'boat', { mode, limit: '4', offset: `${offset}` })
    const pages = [await page(0), await page(4), await page(8), await page(12), await page(1_000_000)]

    expect(pages.map(({ results }) => results.length)).toEqual([4, 4, 1, 0, 0])
    expect(pages.map(({ mode, total, limit, offset }) => [mode, total, limit, offset])).toEqual(
      [0, 4, 8, 12, 1_000_000].map((offset) => [mode, 9, 4, offset]),
    )
    expect(new Set(pages.flatMap(contents)).size).toBe(9)
  },
)

test('pages follow one another without loss or repetition', async () => {
  const host = await testHost()
  for (let index = 0; index < 450; index += 1) {
    await call(create, host, {
      body: { content: `boat ${'wave '.repeat(index % 7)}`, importance: (index % 10) / 10 },
    })
  }
  const pages = await Promise.all(
    [0, 100, 200, 300, 400].map((offset) => find(host, 'boat', { limit: '100', offset: `${offset}` })),
  )
  const ids = pages.flatMap(({ results }) => results.map(({ episode }) => episode.id))

  expect(pages.map(({ total }) => total)).toEqual([450, 450, 450, 450, 450])
  expect(ids).toHaveLength(450)
  expect(new Set(ids).size).toBe(450)
  expect(await find(host, 'boat', { offset: '450' })).toMatchObject({ results: [], total: 450 })
})
