import { z } from 'zod'
import { ownValue } from '../../own-value.ts'
import { comparable } from '../../values.ts'
import { fieldAt, withField, withoutField } from '../field-path.ts'
import { nodeType } from '../node-type.ts'
import { areLooselyEqual } from './loosely.ts'
import { type Entry, entriesAt, matchesOf, refuseManyPairs } from './merge.ts'

type Fields = Record<string, unknown>

const names = (description: string) => z.array(z.string().max(200)).max(100).default([]).meta({ description })

const Params = z.object({
  fields: z
    .array(z.object({ first: z.string().max(200), second: z.string().max(200) }))
    .min(1)
    .max(20)
    .meta({ description: 'Fields of the first and of the second input by which items belong together' }),
  prefer: z.enum(['both', 'first', 'second', 'mix']).default('both').meta({
    description: 'Which version of an item that differs is passed on; both: what is the same and what differs',
  }),
  mix_from: z.enum(['first', 'second']).default('first').meta({ description: 'For mix: the version' }),
  mix_except: names('For mix: fields of the other version'),
  skip: names('Fields that are not compared'),
  loose: z.boolean().default(false).meta({ description: '"3" is 3, and empty values are equal' }),
  multiple: z.boolean().default(false).meta({ description: 'An item may belong to several' }),
  paths: z.boolean().default(true).meta({ description: 'Dots in names lead to members' }),
  version: z
    .literal([1, 2, 2.1])
    .default(2.1)
    .meta({ description: 'Of an imported node: the version of it whose results these are' }),
})
type Params = z.output<typeof Params>

export const compare = nodeType({
  type: 'compare',
  title: 'Compare lists',
  description: 'Compares the items of two inputs, and says which are in one only, the same, or different.',
  category: 'flow',
  params: Params,
  outputs: [
    { name: 'case:0', label: 'In the first only' },
    { name: 'case:1', label: 'The same' },
    { name: 'case:2', label: 'Different' },
    { name: 'case:3', label: 'In the second only' },
  ],
  pure: true,
  risk: 'low',
  async run(params, { inputs }) {
    const isFilled = ({ item }: Entry) => Object.keys(item).length > 0
    const first = entriesAt(inputs, 0).filter(isFilled)
    const second = entriesAt(inputs, 1).filter(isFilled)
    const { matched, rest, others } = matchesOf(first, second, { ...params, zero: params.version >= 2 })
    refuseManyPairs(matched)
    const same: Entry[] = []
    const different: Entry[] = []
    for (const [entry, matches] of matched) {
      const equal = matches.find((match) => areSame(entry.item, match.item, params))
      if (equal) same.push(params.loose && params.prefer === 'second' ? equal : entry)
      for (const match of matches)
        if (!areSame(entry.item, match.item, params)) different.push(versionOf(entry, match, params))
    }
    return { outputs: { 'case:0': rest, 'case:1': same, 'case:2': different, 'case:3': others } }
  },
})

const isEqual = (left: unknown, right: unknown, { loose, version }: Params): boolean =>
  loose ? areLooselyEqual(left, right, version >= 2) : comparable(left) === comparable(right)

function areSame(left: Fields, right: Fields, params: Params): boolean {
  const compared = (item: Fields) => params.skip.reduce((own, field) => withoutField(own, field, params.paths), item)
  const [first, second] = [compared(left), compared(right)]
  if (!params.loose) return isEqual(first, second, params)
  return Object.keys(first).every((name) => isEqual(first[name], ownValue(second, name), params))
}

function versionOf(entry: Entry, match: Entry, params: Params): Entry {
  const { prefer, mix_from, mix_except, paths } = params
  if (prefer === 'first') return entry
  if (prefer === 'second') return match
  const from = [...entry.from, ...match.from]
  if (prefer === 'both') return { item: differences(entry.item, match.item, params), from }
  const [own, other] = mix_from === 'first' ? [entry.item, match.item] : [match.item, entry.item]
  const item = mix_except.reduce((mixed, field) => withField(mixed, field, fieldAt(other, field, paths) ?? null), own)
  return { item, from }
}

/** What is the same in two items, and both values of what is not. */
function differences(first: Fields, second: Fields, params: Params): Fields {
  const { fields, skip, version } = params
  const paths = params.paths && version >= 2.1
  const mayBeMissing = params.loose && version >= 2.1
  const same: [string, unknown][] = []
  const different: [string, unknown][] = []
  let skipped: Fields = {}
  for (const name of new Set([...Object.keys(first), ...Object.keys(second)])) {
    const [left, right] = [ownValue(first, name), ownValue(second, name)]
    const mayBeSame = mayBeMissing || (Object.hasOwn(first, name) && Object.hasOwn(second, name))
    if (mayBeSame && isEqual(left, right, params)) {
      same.push([name, left])
      continue
    }
    const versions: Fields =
      version === 1 ? { input1: left || null, input2: right || null } : { inputA: left ?? null, inputB: right ?? null }
    const inner = paths ? skip.filter((field) => field.startsWith(`${name}.`)) : []
    if (skip.includes(name)) skipped = { ...skipped, [name]: versions }
    else if (inner.length === 0) different.push([name, versions])
    else {
      const without = (value: unknown) =>
        inner.reduce((own, field) => withoutField(own, field.slice(name.length + 1)), value as Fields)
      different.push([
        name,
        Object.fromEntries(Object.entries(versions).map(([side, value]) => [side, without(value)])),
      ])
      for (const [side, value] of Object.entries(versions))
        for (const field of inner) {
          const member = field.slice(name.length + 1)
          skipped = withField(skipped, `${name}.${side}.${member}`, fieldAt(value, member))
        }
    }
  }
  return {
    keys: Object.fromEntries(fields.map((pair) => [pair.first, first[pair.first]])),
    same: Object.fromEntries(same),
    different: Object.fromEntries(different),
    ...(Object.keys(skipped).length > 0 ? { skipped } : {}),
  }
}
