import { describe, expect, test } from 'vitest'
import { areas } from '../../handlers/index.ts'
import { firstSegment } from '../../runtime/http/routes.ts'
import { endpoints, sockets } from '../support/endpoints.ts'

const title = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('there are endpoints', () => {
  expect(endpoints.length).toBeGreaterThan(70)
})

test('no two endpoints or sockets have the same method and path', () => {
  const shapes = [...endpoints, ...sockets].map((one) => title(one).replace(/\{\w+\}/g, '{}'))
  const twice = shapes.filter((shape, index) => shapes.indexOf(shape) !== index)
  expect(twice).toEqual([])
})

test.each(
  areas.filter(({ under }) => under.length > 0).map(({ under, load }) => [under.join(', '), under, load] as const),
)('everything below %s is in one area, and nothing else is in it', async (_, under, load) => {
  const segments = new Set((await load()).map(({ path }) => firstSegment(path)))
  expect([...segments].toSorted()).toEqual([...under].toSorted())
  const sharing = areas.filter((area) => area.under.some((segment) => segments.has(segment)))
  expect(sharing).toHaveLength(1)
})

describe.each(endpoints.map((endpoint) => [title(endpoint), endpoint] as const))('%s', (_, endpoint) => {
  test('documents itself', () => {
    expect(endpoint.summary).toMatch(/^[A-Z]\S*( \S+)+[^.\s]$/)
    expect(endpoint.summary.length).toBeLessThan(120)
  })

  test('has a path of plain segments with distinct parameter names', () => {
    expect(endpoint.path).toMatch(/^(\/([a-z0-9._-]+|\{[a-z_]+\}))+\/?$/)
    const names = endpoint.path.match(/\{\w+\}/g) ?? []
    expect(new Set(names).size).toBe(names.length)
  })

  test('accepts a body only for methods that can have one', () => {
    if (endpoint.method === 'GET') expect(endpoint.body ?? endpoint.body_kind).toBeUndefined()
    if (endpoint.body_optional) expect(endpoint.body?.safeParse({}).success).toBe(true)
  })
})
