import { z } from 'zod'
import { comparable } from '../../values.ts'
import { fieldAt } from '../field-path.ts'
import { itemsOf, type Parent } from '../items.ts'
import { type Arrived, type NodeResult, nodeType, type OutputItem, permanentError } from '../node-type.ts'
import { areLooselyEqual, looseKey } from './loosely.ts'

type Fields = Record<string, unknown>

const Params = z.object({
  mode: z
    .enum(['list', 'append', 'object', 'by_node', 'first', 'input', 'position', 'combinations', 'fields'])
    .default('by_node')
    .meta({
      description:
        'list: one item for each branch. append: joins lists. object: joins fields. by_node: an object by node id. first: the first value. input: that of one input. position: joins items at the same position. combinations: every item with every other. fields: joins items with the same values',
    }),
  input: z.int().min(-1).max(99).default(0).meta({ description: 'For input; -1 for an empty item' }),
  fields: z
    .array(z.object({ first: z.string().max(200), second: z.string().max(200) }))
    .max(20)
    .default([])
    .meta({ description: 'For fields: those of the first and of the second input that must be equal' }),
  join: z
    .enum(['matches', 'rest', 'everything', 'first', 'second'])
    .default('matches')
    .meta({ description: 'For fields: what is passed on; first and second keep all items of that input' }),
  output: z.enum(['both', 'first', 'second']).default('both').meta({ description: 'For fields: whose items' }),
  multiple: z.boolean().default(true).meta({ description: 'For fields: an item may match several' }),
  loose: z.boolean().default(false).meta({ description: 'For fields: "3" is 3, and empty values are equal' }),
  required: z.boolean().default(false).meta({ description: 'For fields: a field that no item has is an error' }),
  unpaired: z.boolean().default(false).meta({ description: 'For position: keep items without a partner' }),
  clash: z.enum(['first', 'second', 'suffix']).default('second').meta({
    description: 'Whose value a field has that both have; suffix: both, as name_1 and name_2',
  }),
  deep: z.boolean().default(true).meta({ description: 'Join members of fields too' }),
  keep_filled: z.boolean().default(false).meta({ description: 'An empty value does not replace another' }),
  paths: z.boolean().default(true).meta({ description: 'Dots in names lead to members' }),
})
type Params = z.output<typeof Params>

export const merge = nodeType({
  type: 'merge',
  title: 'Merge',
  description: 'Waits for all branches that can still arrive and combines their values.',
  category: 'flow',
  params: Params,
  pure: true,
  risk: 'low',
  async run(params, { inputs }) {
    // An edge has several values if its node ran several times.
    const arrived = inputs.toSorted((left, right) => left.input - right.input)
    const values = arrived.map(({ value }) => value)
    const [first] = inputs
    switch (params.mode) {
      case 'list':
        return { output: values, parents: arrived.map(allOf) }
      case 'append':
        return { output: values.flat(), parents: arrived.flatMap(allOf) }
      case 'first':
        return { output: first?.value ?? null, parents: first ? allOf(first) : null }
      case 'by_node':
        return { output: byNode(arrived) }
      case 'object':
        return { output: joinedFields(arrived) }
      case 'input':
        return params.input < 0 ? { output: [{}] } : listed(entriesAt(arrived, params.input))
      default:
        return listed(combined(arrived, params))
    }
  },
})

/** Every item that arrived. */
const allOf = ({ input, value }: Arrived): Parent[] => itemsOf(value).map((_, index) => ({ input, index }))

function byNode(arrived: readonly Arrived[]): Fields {
  const twice = arrived.find(({ source }, at) => arrived.findIndex((one) => one.source === source) < at)
  if (twice) throw permanentError('several', `${twice.source} has several values here; use the mode list`)
  return Object.fromEntries(arrived.map(({ source, value }) => [source, value]))
}

function joinedFields(arrived: readonly Arrived[]): Fields {
  const list = arrived.find(({ value }) => Array.isArray(value))
  if (list) throw permanentError('list', `The value from ${list.source} is a list, which has no fields to join`)
  const scalar = arrived.find(({ value }) => value !== null && value !== undefined && typeof value !== 'object')
  if (scalar) throw permanentError('scalar', `The value from ${scalar.source} is no object and has no fields to join`)
  return Object.fromEntries(arrived.flatMap(({ value }) => Object.entries(value ?? {})))
}

/** An item of an input. */
export interface Entry {
  item: Fields
  from: Parent[]
}

const listed = (main: readonly OutputItem[]): NodeResult => ({ outputs: { main } })

export const entriesAt = (arrived: readonly Arrived[], number: number): Entry[] =>
  arrived
    .filter(({ target_input }) => target_input === number)
    .flatMap(({ value, input }) =>
      itemsOf(value).map((item, index) => ({
        item: typeof item === 'object' && item !== null ? (item as Fields) : { value: item },
        from: [{ input, index }],
      })),
    )

function combined(arrived: readonly Arrived[], params: Params): Entry[] {
  const count = Math.max(1, ...arrived.map(({ target_input }) => target_input)) + 1
  const inputs = Array.from({ length: count }, (_, number) => entriesAt(arrived, number))
  const pair = (entries: readonly Entry[]): Entry => joinedEntry(entries, params)
  if (params.mode === 'position') {
    const lengths = inputs.map(({ length }) => length)
    const length = params.unpaired ? Math.max(...lengths) : Math.min(...lengths)
    return Array.from({ length }, (_, at) => pair(inputs.flatMap((list) => list[at] ?? [])))
  }
  const [first = [], second = [], ...more] = inputs
  if (params.mode === 'fields') return byFields(first, second, params)
  refuseMore(
    inputs.reduce((count, { length }) => count * length, 1),
    100_000,
  )
  const pairs =
    params.clash === 'first'
      ? second.flatMap((other) => first.map((one) => pair([one, other])))
      : first.flatMap((one) => second.map((other) => pair([one, other])))
  return more.reduce((left, right) => left.flatMap((one) => right.map((other) => pair([one, other]))), pairs)
}

function joinedEntry(entries: readonly Entry[], { clash, deep, keep_filled }: Params): Entry {
  const named =
    clash === 'suffix'
      ? entries.map(({ item }, at) =>
          Object.fromEntries(Object.entries(item).map(([name, value]) => [`${name}_${at + 1}`, value])),
        )
      : entries.map(({ item }) => item)
  const ordered = clash === 'first' ? named.toReversed() : named
  const item = ordered.reduce<Fields>((left, right) => joinedObjects(left, right, { deep, keep_filled }), {})
  return { item, from: entries.flatMap(({ from }) => from) }
}

function refuseMore(combinations: number, max: number): void {
  if (combinations > max) throw permanentError('too_large', `There are more than ${max} combinations`)
}

const isMembers = (value: unknown): value is Fields => typeof value === 'object' && value !== null

function joinedObjects(left: Fields, right: Fields, how: Pick<Params, 'deep' | 'keep_filled'>): Fields {
  const output = new Map(Object.entries(left))
  for (const [name, value] of Object.entries(right)) {
    const own = output.get(name)
    const isEmpty = value === null || value === '' || value === undefined
    if (how.keep_filled && isEmpty && output.has(name)) continue
    const isJoined = how.deep && isMembers(own) && isMembers(value) && Array.isArray(own) === Array.isArray(value)
    const joined = isJoined ? joinedObjects(own, value, how) : value
    output.set(name, isJoined && Array.isArray(own) ? Object.values(joined as Fields) : joined)
  }
  return Object.fromEntries(output)
}

function byFields(first: readonly Entry[], second: readonly Entry[], params: Params): Entry[] {
  const { join, output } = params
  if (params.required)
    for (const [side, entries] of [
      ['first', first],
      ['second', second],
    ] as const)
      for (const pair of params.fields)
        if (entries.every(({ item }) => fieldAt(item, pair[side], params.paths) === undefined))
          throw permanentError('no_field', `No item of the ${side} input has the field ${pair[side]}`)
  // Without items of one input, there is nothing to join the others with.
  if (first.length === 0 || second.length === 0) {
    if (join === 'everything' || (join === 'rest' && output === 'both')) return [...first, ...second]
    if (join === 'matches') return []
  }
  const { matched, rest, others, used } = matchesOf(first, second, params)
  if (join === 'matches' && output !== 'both')
    return output === 'first' ? matched.map(([entry]) => entry) : second.filter((entry) => used.has(entry))
  if (join === 'rest' && output !== 'both') return output === 'first' ? rest : others
  if (join === 'rest')
    return [...rest.map((entry) => marked(entry, 'input1')), ...others.map((entry) => marked(entry, 'input2'))]
  refuseManyPairs(matched)
  const joined = matched.flatMap(([entry, matches]) => matches.map((match) => joinedEntry([entry, match], params)))
  if (join === 'first') return [...joined, ...rest]
  if (join === 'second') return [...joined, ...others]
  return join === 'everything' ? [...joined, ...rest, ...others] : joined
}

const marked = ({ item, from }: Entry, _source: string): Entry => ({ item: { ...item, _source }, from })

/** An entry, and those of the other input that it matches. */
type Match = [Entry, Entry[]]

/** As JSON, so many items would be larger than an output may be. */
export const refuseManyPairs = (matched: readonly Match[]): void =>
  refuseMore(
    matched.reduce((count, [, { length }]) => count + length, 0),
    1_000_000,
  )

interface Matching extends Pick<Params, 'fields' | 'loose' | 'paths' | 'multiple'> {
  /** For `loose`: null is also 0. */
  zero?: boolean
}

/** Items of two inputs whose fields are equal. */
export function matchesOf(
  first: readonly Entry[],
  second: readonly Entry[],
  { fields, loose, paths, multiple, zero = false }: Matching,
) {
  const valuesIn = (side: 'first' | 'second', { item }: Entry) => fields.map((pair) => fieldAt(item, pair[side], paths))
  const keyOf = (values: readonly unknown[]): string | undefined =>
    loose || values.every((value) => value !== undefined)
      ? JSON.stringify(values.map(loose ? looseKey : comparable))
      : undefined
  const bySecond = Map.groupBy(second, (entry) => keyOf(valuesIn('second', entry)))
  const equalTo = (values: readonly unknown[]): Entry[] => {
    const key = values.includes(undefined) ? undefined : keyOf(values)
    const all = key === undefined ? [] : (bySecond.get(key) ?? [])
    if (!loose) return all
    return all.filter((entry) =>
      valuesIn('second', entry).every((value, at) => areLooselyEqual(values[at], value, zero)),
    )
  }
  const used = new Set<Entry>()
  /** Matches by the values of an item of the first input. */
  const matchesOfValues = new Map<string, Entry[]>()
  const matched: Match[] = []
  const rest: Entry[] = []
  for (const entry of first) {
    const values = valuesIn('first', entry)
    const key = JSON.stringify(values.map(comparable))
    let matches = matchesOfValues.get(key)
    if (!matches) {
      matches = multiple ? equalTo(values) : equalTo(values).slice(0, 1)
      matchesOfValues.set(key, matches)
      for (const match of matches) used.add(match)
    }
    if (matches.length > 0) matched.push([entry, matches])
    else rest.push(entry)
  }
  const others = second.filter((entry) => !used.has(entry))
  return { matched, rest, others, used }
}
