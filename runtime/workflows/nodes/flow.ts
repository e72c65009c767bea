import { z } from 'zod'
import { iso, second } from '../../time.ts'
import { isTrue } from '../../values.ts'
import { nodeType, permanentError } from '../node-type.ts'

export const condition = nodeType({
  type: 'condition',
  title: 'If',
  description: 'Filters a list, or continues at true or false, depending on an expression. Its output is the input.',
  category: 'flow',
  params: z.object({
    expression: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .meta({ description: 'For example input.total > 100', 'x-language': 'jsonata' }),
  }),
  outputs: [
    { name: 'true', label: 'True' },
    { name: 'false', label: 'False' },
  ],
  code: { expression: 'jsonata' },
  usual_input: 'item',
  pure: true,
  risk: 'low',
  async run({ expression }, { input, evaluate }) {
    return { output: input, to: String(isTrue(await evaluate('expression', expression))) }
  },
})

export const switchNode = nodeType({
  type: 'switch',
  title: 'Switch',
  description:
    'Continues at the output of the first case whose expression is true; at Otherwise if none is. Its output is the input.',
  category: 'flow',
  params: z.object({
    cases: z
      .array(
        z.object({
          name: z.string().max(100).default(''),
          expression: z
            .string()
            .trim()
            .min(1)
            .max(20_000)
            .meta({ description: 'For example input.kind = "invoice"', 'x-language': 'jsonata' }),
        }),
      )
      .min(1)
      .max(50),
    all: z.boolean().default(false).meta({ description: 'Continue at every case that is true' }),
    otherwise: z.int().min(0).max(49).nullable().default(null).meta({
      description: 'The case at which it continues if none is true, by position from 0. Leave blank for Otherwise',
    }),
  }),
  outputs: [{ name: 'main', label: 'Otherwise' }],
  outputs_from: 'cases',
  code: { 'cases.*.expression': 'jsonata' },
  usual_input: 'item',
  pure: true,
  risk: 'low',
  async run({ cases, all, otherwise }, { input, evaluate }) {
    const to: string[] = []
    for (const [index, { expression }] of cases.entries()) {
      if (!isTrue(await evaluate(`cases.${index}.expression`, expression))) continue
      to.push(`case:${index}`)
      if (!all) break
    }
    const none = otherwise === null ? 'main' : `case:${otherwise}`
    return { output: input, to: to.length > 0 ? to : none }
  },
})

/** Items of one loop. */
const maxItems = 100_000

export const loop = nodeType({
  type: 'loop',
  title: 'Loop',
  description:
    'Runs the nodes at Each item once for each item, one after the other; connect the last of them back to the loop. ' +
    'Then continues at Done with {count, items}: what came back, in order.',
  category: 'flow',
  params: z.object({
    items: z
      .unknown()
      .default('=input')
      .meta({ description: 'The list, for example =input.rows. A number n stands for 0 to n - 1' }),
    batch_size: z.int().min(1).max(10_000).default(1).meta({ description: 'More than 1 passes lists' }),
    collect: z.boolean().default(true).meta({ description: 'Return what came back at Done' }),
    only_items: z
      .boolean()
      .default(false)
      .meta({ description: 'Done gets only the returned items; returned lists are joined' }),
  }),
  outputs: [
    { name: 'loop', label: 'Each item' },
    { name: 'done', label: 'Done' },
  ],
  pure: 'whole',
  risk: 'low',
  async run({ items, batch_size, collect, only_items }) {
    const list = typeof items === 'number' ? null : listOf(items)
    const length = list ? list.length : Math.max(0, Math.floor(items as number))
    if (length > maxItems)
      throw permanentError('too_large', `items has ${length} items; a loop takes at most ${maxItems}`)
    return { loop: { items: list ?? [...Array(length).keys()], batch_size, collect, only_items } }
  },
})

const listOf = (items: unknown): unknown[] =>
  Array.isArray(items) ? items : items === undefined || items === null ? [] : [items]

export const parallel = nodeType({
  type: 'parallel',
  title: 'Parallel',
  description: 'Runs the branches at its output at the same time; a merge waits for them. Its output is the input.',
  category: 'flow',
  params: z.object({ max_concurrent: z.int().min(1).max(20).default(5) }),
  pure: 'whole',
  risk: 'low',
  async run({ max_concurrent }, { input }) {
    return { output: input, width: max_concurrent }
  },
})

export const delay = nodeType({
  type: 'delay',
  title: 'Wait',
  description: 'Continues after some time, or at a time. Waiting survives restarts. Its output is the input.',
  category: 'flow',
  params: z.object({
    seconds: z.number().min(0).max(31_536_000).default(60),
    until: z.string().max(100).default('').meta({ description: 'ISO 8601, instead of seconds' }),
  }),
  risk: 'low',
  async run({ seconds, until }, { context }) {
    const now = context.clock.now()
    const at = until === '' ? now + seconds * second : Date.parse(until)
    if (Number.isNaN(at)) throw permanentError('invalid_params', `until is not a time: ${until}`)
    return { wait: { kind: 'delay', message: `Until ${iso(at)}`, until: iso(at) } }
  },
  resume: async (_, { input }) => ({ output: input }),
})

export const stop = nodeType({
  type: 'stop',
  title: 'Stop with an error',
  description: 'Ends the execution with an error of your own.',
  category: 'flow',
  params: z.object({ error: z.unknown().meta({ description: 'Text as it is; everything else as JSON' }) }),
  usual_input: 'item',
  pure: true,
  risk: 'low',
  async run({ error }) {
    throw permanentError('stopped', typeof error === 'string' ? error : JSON.stringify(error ?? 'Stopped'))
  },
})
