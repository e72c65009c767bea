import { expect, test } from 'vitest'
import { places, workKinds } from '../../runtime/work/kinds.ts'

test.each(Object.keys(places))('%s is found under its own name', async (name) => {
  expect((await workKinds.get(name))?.kind).toBe(name)
})

test.each(['nothing.known', 'constructor', ''])('%j is no kind of work', async (name) => {
  expect(await workKinds.get(name)).toBeUndefined()
})
