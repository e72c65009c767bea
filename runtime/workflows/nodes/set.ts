import { z } from 'zod'
import { NodeError, nodeType } from '../node-type.ts'

const Params = z.object({
  values: z
    .record(z.string().max(200), z.unknown())
    .default({})
    .meta({ description: 'Fields to set; a dot in a name sets a member, as in customer.name' }),
  keep_input: z.boolean().default(true).meta({ description: 'Keep the other fields of the input' }),
})

/** Names that would reach the prototype of an object. */
const inert = new Set(['__proto__', 'constructor', 'prototype'])

export const set = nodeType({
  type: 'set',
  title: 'Set fields',
  description: 'Adds or replaces fields. Its output is the input with these fields.',
  category: 'data',
  params: Params,
  risk: 'low',
  async run({ values, keep_input }, { input }) {
    // Without fields it passes everything on, lists too.
    if (keep_input && Object.keys(values).length === 0) return { output: input }
    if (keep_input && Array.isArray(input))
      throw new NodeError('list', 'The input is a list, which has no fields to keep; put a loop before it', {
        permanent: true,
      })
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    const output: Record<string, unknown> = keep_input && isObject ? { ...input } : {}
    for (const [name, value] of Object.entries(values)) setField(output, name.split('.'), value)
    return { output }
  },
})

function setField(into: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (inert.has(name)) return
  if (rest.length === 0) {
    into[name] = value
    return
  }
  const member = into[name]
  const copy = typeof member === 'object' && member !== null && !Array.isArray(member) ? { ...member } : {}
  into[name] = copy
  setField(copy as Record<string, unknown>, rest, value)
}
