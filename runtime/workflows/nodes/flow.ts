import { z } from 'zod'
import { NodeError, nodeType } from '../node-type.ts'

export const parallel = nodeType({
  type: 'parallel',
  title: 'Parallel',
  description:
    'Runs the branches at its output at the same time; a merge waits for them. Its output is the input.',
  category: 'flow',
  params: z.object({ max_concurrent: z.number().int().min(1).max(20).default(5) }),
  risk: 'low',
  async run({ max_concurrent }, { input }) {
    return { output: input, width: max_concurrent }
  },
})

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
    return { output: Object.assign({}, ...values.filter((value) => typeof value === 'object')) }
  },
})

/** Stands for a node of another program that hearthd does not have. */
export const placeholder = nodeType({
  type: 'placeholder',
  title: 'Placeholder',
  description:
    'Stands for an imported node that has no equivalent. Replace it; disabled, it passes its input on.',
  category: 'other',
  params: z.object({ imported_type: z.string().max(200).default('') }).loose(),
  risk: 'low',
  async run({ imported_type }) {
    throw new NodeError(
      'placeholder',
      `There is no node like ${imported_type || 'this'}; replace it or disable it`,
      {
        permanent: true,
      },
    )
  },
})

export const note = nodeType({
  type: 'note',
  title: 'Note',
  description: 'A text on the canvas. It never runs.',
  category: 'other',
  params: z.object({ text: z.string().max(20_000).default('') }),
  outputs: [],
  code: { text: 'javascript' },
  risk: 'low',
  async run(_, { input }) {
    return { output: input }
  },
})
