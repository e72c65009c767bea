import { expect, test } from 'vitest'
import { NewUser, UserChange } from '../../runtime/auth/schema.ts'
import { hooks } from '../../runtime/hooks/hooks.ts'
import { incomingWebhooks } from '../../runtime/hooks/incoming.ts'
import { toJsonSchema } from '../../runtime/http/openapi/json-schema.ts'
import { changesOf, kindOf, merged, optionsOfEnum, plainOf, type Schema } from '../../web/parts/schema/schema.ts'
import { schemaFor } from '../../web/parts/schema/use-body-schema.ts'

const [create, change] = [hooks.New, hooks.Changes].map((body) => toJsonSchema(body, 'input') as Schema)

test('an alternative is told by the member that all of its kinds have', () => {
  const action = toJsonSchema(incomingWebhooks.New, 'input').properties?.action as Schema
  const { schema, nullable } = plainOf(action)

  expect(nullable).toBe(true)
  expect(kindOf(schema)).toBe('kind')
  expect(schema.labels?.null).toBe('Record only')
  expect(kindOf({ oneOf: [{ properties: { a: { const: 1 } } }, { properties: { b: {} } }] })).toBeUndefined()
})

test('a change has the defaults and limits of a new one, and only the fields that can be changed', () => {
  const schema = schemaFor(
    { ...create, properties: { ...create?.properties, secret: { type: 'string' } } },
    change,
    false,
  )

  expect(schema.properties?.timeout_seconds).toMatchObject({ default: 30, maximum: 120, unit: 'seconds' })
  expect(Object.keys(schema.properties ?? {})).toEqual(Object.keys(change?.properties ?? {}))
})

test('a change keeps a secret that is left out, and no text may become empty that must have one', () => {
  const [user, changes] = [NewUser, UserChange].map((body) => toJsonSchema(body, 'input') as Schema)

  expect(user?.required).toEqual(['username', 'password'])
  expect(schemaFor(user, changes, false).required).toEqual(['display_name'])
})

test('only what differs is sent: of a group its members, of an optional group all of it', () => {
  const schema: Schema = {
    properties: {
      a: { type: 'string' },
      group: { type: 'object', properties: { b: {}, c: {} } },
      night: { anyOf: [{ type: 'object', properties: { from: {}, to: {} } }, { type: 'null' }] },
    },
  }
  const before = { a: 'same', group: { b: 1, c: 2 }, night: { from: '22:00', to: '07:00' } }
  const after = { a: 'same', group: { b: 1, c: 3 }, night: { from: '23:00', to: '07:00' } }
  const changes = changesOf(schema, before, after)

  expect(changes).toEqual({ group: { c: 3 }, night: { from: '23:00', to: '07:00' } })
  expect(merged(before, changes)).toEqual(after)
})

test('the values of an enum come in the order of their labels', () => {
  expect(optionsOfEnum(['a_b', 'c'], { c: 'Third', d: 'Gone' })).toEqual([
    { value: 'c', label: 'Third' },
    { value: 'a_b', label: 'A b' },
  ])
})
