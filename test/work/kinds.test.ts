import { expect, test } from 'vitest'
import { areas } from '../../handlers/index.ts'
import type { Area } from '../../runtime/area.ts'
import { workKinds } from '../../runtime/work/kinds.ts'

const list: readonly Area[] = areas
const names = list.flatMap(({ work = {} }) => Object.keys(work))

test.each(names)('%s is found under its own name', async (name) => {
  expect((await workKinds({ areas }).get(name))?.kind).toBe(name)
})

test('no two areas have a work kind of the same name', () => {
  expect(new Set(names).size).toBe(names.length)
})

test.each(['nothing.known', 'constructor', ''])('%j is not a kind of work', async (name) => {
  expect(await workKinds({ areas }).get(name)).toBeUndefined()
})
