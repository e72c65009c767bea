import { expect, test } from 'vitest'
import { z } from 'zod'
import { changesOf, readOf } from '../../runtime/fields.ts'

const fields = {
  name: z.string().meta({ title: 'Name' }),
  limit: z.number().default(20).meta({ title: 'Limit', unit: 'seconds' }),
  retry: z.object({ attempts: z.number().default(1) }).prefault({}),
}

test('a change leaves out what is absent, instead of setting its default', () => {
  expect(z.object(fields).parse({ name: 'Tea' })).toEqual({ name: 'Tea', limit: 20, retry: { attempts: 1 } })
  expect(changesOf(fields).parse({})).toEqual({})
  expect(changesOf(fields).parse({ retry: {} })).toEqual({ retry: { attempts: 1 } })
})

test('what is read has every field, with the titles of the new thing', () => {
  expect(z.object(readOf(fields)).safeParse({ name: 'Tea' }).success).toBe(false)
  expect(readOf(fields).limit.meta()).toEqual({ title: 'Limit', unit: 'seconds' })
})
