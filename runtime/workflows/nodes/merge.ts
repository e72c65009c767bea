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
  async run({ mode }, { inputs, definition, node }) {
    const order = definition.edges.filter(({ target }) => target === node.id)
    const byEdge = new Map(inputs.map(({ edge, value }) => [edge, value]))
    const arrived = order.filter(({ id }) => byEdge.has(id))
    const values = arrived.map(({ id }) => byEdge.get(id))
    if (mode === 'list') return { output: values }
    if (mode === 'append') return { output: values.flat() }
    if (mode === 'first') return { output: inputs[0]?.value ?? null }
    if (mode === 'by_node')
      return { output: Object.fromEntries(arrived.map(({ id, source }) => [source, byEdge.get(id)])) }
    const list = arrived.find(({ id }) => Array.isArray(byEdge.get(id)))
    if (list)
      throw new NodeError('list', `The value from ${list.source} is a list, which has no fields to join`, {
        permanent: true,
      })
    return { output: Object.assign({}, ...values.filter((value) => typeof value === 'object')) }
  },
})
