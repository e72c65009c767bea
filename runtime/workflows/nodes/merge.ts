import { z } from 'zod'
import { NodeError, nodeType } from '../node-type.ts'

export const merge = nodeType({
  type: 'merge',
  title: 'Merge',
  description: 'Waits for all branches that can still arrive and combines their values.',
  category: 'flow',
  params: z.object({
    mode: z.enum(['list', 'append', 'object', 'by_node', 'first']).default('by_node').meta({
      description:
        'list: one item for each branch. append: joins lists. object: joins fields. by_node: an object by node id. first: the first value',
    }),
  }),
  risk: 'low',
  async run({ mode }, { inputs, definition }) {
    // In the order of the edges. An edge has several values if its node ran several times.
    const arrived = definition.edges.flatMap(({ id, source }) =>
      inputs.filter(({ edge }) => edge === id).map(({ value }) => ({ source, value })),
    )
    const values = arrived.map(({ value }) => value)
    if (mode === 'list') return { output: values }
    if (mode === 'append') return { output: values.flat() }
    if (mode === 'first') return { output: inputs[0]?.value ?? null }
    if (mode === 'by_node') {
      const twice = arrived.find(({ source }, at) => arrived.findIndex((one) => one.source === source) < at)
      if (twice) refuse('several', `${twice.source} has several values here; use the mode list`)
      return { output: Object.fromEntries(arrived.map(({ source, value }) => [source, value])) }
    }
    const list = arrived.find(({ value }) => Array.isArray(value))
    if (list) refuse('list', `The value from ${list.source} is a list, which has no fields to join`)
    const scalar = arrived.find(({ value }) => isScalar(value))
    if (scalar) refuse('scalar', `The value from ${scalar.source} is no object and has no fields to join`)
    return { output: Object.fromEntries(values.flatMap((value) => Object.entries(value ?? {}))) }
  },
})

const isScalar = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'object'

function refuse(code: string, message: string): never {
  throw new NodeError(code, message, { permanent: true })
}
