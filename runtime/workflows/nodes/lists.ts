import { z } from 'zod'
import { comparable } from '../../values.ts'
import { fieldAt, picked, withField, withoutField } from '../field-path.ts'
import { itemsOf } from '../items.ts'
import { type NodeResult, nodeType, type OutputItem, permanentError } from '../node-type.ts'
import { firstSeenBy, forgetSeen, remember } from '../seen-store.ts'
import { fieldsOf } from './rows.ts'

type Fields = Record<string, unknown>

const name = z.string().max(200)
/** The name of a field of the items. */
const itemField = name.meta({ 'x-format': 'item_field' })
const names = (description: string) =>
  z.array(name).max(100).default([]).meta({ description, 'x-format': 'item_fields' })
const required = z.boolean().default(false).meta({ description: 'A field that no item has is an error' })
const paths = z.boolean().default(true).meta({ description: 'Dots in names lead to members' })
const common = { category: 'data', risk: 'low', pure: true } as const

/** The items, each with its position. */
const entriesOf = (input: unknown) => itemsOf(input).map((item, from) => ({ fields: fieldsOf(item), item, from }))

const listed = (main: readonly OutputItem[]): NodeResult => ({ outputs: { main } })

function refuseMissing(names: readonly string[], items: readonly Fields[], isPath: boolean): void {
  const missing = names.find((field) => items.every((item) => fieldAt(item, field, isPath) === undefined))
  if (missing !== undefined) throw permanentError('no_field', `No item has the field ${missing}`)
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

export const splitOut = nodeType({
  ...common,
  type: 'split_out',
  title: 'Split out',
  description: 'Makes an item of each member of a list in a field.',
  usual_input: 'item',
  params: z.object({
    fields: names('Fields with lists; of several, the members at the same position form an item'),
    into: names('Names of the fields of the new items; default: the same names'),
    keep: z.enum(['nothing', 'all', 'selected']).default('nothing').meta({ title: 'Other fields to keep' }),
    selected: names('Other fields to keep'),
    required,
    paths,
  }),
  async run({ fields, into, keep, selected, required, paths }, { input }) {
    const own = fieldsOf(input)
    if (required) refuseMissing(fields, [own], paths)
    const scalar = required && fields.find((field) => !isMembers(fieldAt(own, field, paths)))
    if (scalar) throw permanentError('no_list', `${scalar} is no list`)
    const items: Fields[] = []
    const isAlone = fields.length === 1 && into.length === 0 && keep === 'nothing'
    for (const [at, field] of fields.entries())
      for (const [index, member] of membersOf(fieldAt(own, field, paths)).entries()) {
        const isObject = typeof member === 'object' && member !== null
        items[index] = isAlone && isObject ? { ...member } : { ...items[index], [into[at] ?? field]: member }
      }
    const rest = keep === 'all' ? fields.reduce((left, field) => withoutField(left, field, paths), own) : {}
    const others = Object.fromEntries(
      keep === 'selected' ? selected.map((field) => [field, fieldAt(own, field, paths)]) : [],
    )
    return { output: items.map((item) => ({ ...rest, ...item, ...others })) }
  },
})

const isMembers = (value: unknown) => typeof value === 'object' && value !== null

function membersOf(value: unknown): unknown[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null) return [value]
  return Array.isArray(value) ? value : Object.values(value)
}

export const aggregate = nodeType({
  ...common,
  type: 'aggregate',
  title: 'Aggregate',
  description: 'Makes one item of a list: a list of the items, or lists of the values of some fields.',
  params: z.object({
    fields: z
      .array(z.object({ field: itemField, into: name.default('') }))
      .max(100)
      .default([])
      .meta({ description: 'Fields whose values become lists. Leave blank for the items themselves' }),
    into: name.default('data').meta({ description: 'The field with the items' }),
    only: names('Fields of the items to keep. Leave blank for all'),
    except: names('Fields of the items to leave out'),
    join_lists: z.boolean().default(false).meta({ description: 'Values that are lists are joined' }),
    keep_empty: z.boolean().default(false).meta({ description: 'Keep missing values' }),
    required,
    paths,
  }),
  async run({ fields, into, only, except, join_lists, keep_empty, required, paths }, { input }) {
    const entries = entriesOf(input)
    const items = entries.map(({ fields: item }) => item)
    if (required)
      refuseMissing(
        fields.map(({ field }) => field),
        items,
        paths,
      )
    const all = entries.map(({ from }) => from)
    if (fields.length === 0) {
      const isFiltered = only.length + except.length > 0
      const kept = entries.flatMap(({ fields: own, item, from }) => {
        if (!isFiltered) return [{ item, from }]
        const left = Object.entries(own).filter(
          ([field]) => !except.includes(field) && (only.length === 0 || only.includes(field)),
        )
        return left.length === 0 ? [] : [{ item: Object.fromEntries(left), from }]
      })
      return listed([{ item: { [into]: kept.map(({ item }) => item) }, from: kept.map(({ from }) => from) }])
    }
    let output: Fields = {}
    for (const { field, into: own } of fields) {
      const values = entries.flatMap(({ fields: item }) => {
        const value = fieldAt(item, field, paths)
        if (Array.isArray(value)) {
          const members = keep_empty ? value : value.filter((member) => member !== null)
          return join_lists ? members : [members]
        }
        return keep_empty || (value !== undefined && value !== null) ? [value ?? null] : []
      })
      const target = own || (paths ? (field.split('.').at(-1) ?? field) : field)
      output = paths ? withField(output, target, values) : { ...output, [target]: values }
    }
    return listed([{ item: output, from: all }])
  },
})

export const limit = nodeType({
  ...common,
  type: 'limit',
  title: 'Limit',
  description: 'Passes on the first or last items of a list.',
  params: z.object({
    max: z.int().min(0).max(1_000_000).default(1).meta({ title: 'Items' }),
    keep: z.enum(['first', 'last']).default('first'),
  }),
  async run({ max, keep }, { input }) {
    const entries = entriesOf(input)
    const kept = keep === 'first' ? entries.slice(0, max) : entries.slice(Math.max(0, entries.length - max))
    return listed(kept)
  },
})

const folded = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value)

/** The order of two values: numbers by size, texts without their case; what has no order comes last. */
function orderOf(left: unknown, right: unknown): number {
  const [first, second] = [folded(left), folded(right)]
  if (comparable(first) === comparable(second)) return 0
  return (first as number) < (second as number) ? -1 : 1
}

export const sort = nodeType({
  ...common,
  type: 'sort',
  title: 'Sort',
  description: 'Sorts the items of a list by fields, by code, or at random.',
  params: z.object({
    fields: z
      .array(z.object({ field: itemField, descending: z.boolean().default(false) }))
      .max(20)
      .default([])
      .meta({ description: 'Leave blank for a random order' }),
    code: z.string().max(100_000).default('').meta({
      description: 'Compares the items a and b, for example return a.json.n - b.json.n; instead of fields',
      'x-language': 'javascript',
    }),
    paths,
  }),
  code: { code: 'javascript' },
  async run({ fields, code, paths }, { input, runScript }) {
    const entries = entriesOf(input)
    if (code !== '') {
      const body = `const items = input.map((json, at) => ({ json, at }))\nitems.sort((a, b) => {\n${code}\n})\nreturn items.map(({ at }) => at)`
      const order = (await runScript({
        code: body,
        input: entries.map(({ item }) => item),
        output_chars: 4_000_000,
      })) as number[]
      return listed(order.flatMap((at) => entries[at] ?? []))
    }
    if (fields.length === 0) {
      const shuffled = entries.map((entry) => ({
        ...entry,
        at: crypto.getRandomValues(new Uint32Array(1))[0] ?? 0,
      }))
      return listed(shuffled.toSorted((left, right) => left.at - right.at))
    }
    const items = entries.map(({ fields: own }) => own)
    refuseMissing(
      fields.map(({ field }) => field),
      items,
      paths,
    )
    return listed(
      entries.toSorted((left, right) => {
        for (const { field, descending } of fields) {
          const order = orderOf(fieldAt(left.fields, field, paths), fieldAt(right.fields, field, paths))
          if (order !== 0) return descending ? -order : order
        }
        return 0
      }),
    )
  },
})

const Summary = z.object({
  field: itemField,
  operation: z.enum(['append', 'average', 'concatenate', 'count', 'count_unique', 'max', 'min', 'sum']),
  include_empty: z.boolean().default(false),
  separator: z.string().max(100).default(','),
})

const prefixes: Partial<Record<z.output<typeof Summary>['operation'], string>> = {
  append: 'appended',
  concatenate: 'concatenated',
  count_unique: 'unique_count',
}

const plainName = (field: string) => field.replace(/[\]["]/g, '').replace(/[ .]/g, '_')

export const summarize = nodeType({
  ...common,
  type: 'summarize',
  title: 'Summarize',
  description:
    'Counts, adds up or joins the values of fields, for all items or for groups of them, as in a pivot table.',
  params: z.object({
    summaries: z.array(Summary).min(1).max(50),
    group_by: names('Fields whose values form the groups'),
    one_item: z.boolean().default(false).meta({ description: 'One item with the groups as its members' }),
    skip_empty_groups: z.boolean().default(false),
    text_groups: z.boolean().default(false).meta({ description: 'The values of groups become texts' }),
    required,
    paths,
  }),
  async run({ summaries, group_by, one_item, skip_empty_groups, text_groups, required, paths }, { input }) {
    const entries = entriesOf(input)
    const items = entries.map(({ fields }) => fields)
    if (required)
      refuseMissing(
        summaries.map(({ field }) => field),
        items,
        paths,
      )
    type Entries = typeof entries
    const valueOfGroup = (own: Fields, field: string): unknown => {
      const value = fieldAt(own, field, paths)
      const plain = value && typeof value === 'object' ? JSON.stringify(value) : value
      return text_groups ? String(plain) : plain
    }
    const summary = (group: Entries): Fields =>
      Object.fromEntries(
        summaries.map((own) => {
          const { field, operation } = own
          const values = group.map(({ fields }) => fieldAt(fields, field, paths))
          return [plainName(`${prefixes[operation] ?? operation}_${field}`), summaryOf(own, values)]
        }),
      )
    const groupsOf = (group: Entries, field: string): [unknown, Entries][] =>
      [...Map.groupBy(group, ({ fields }) => valueOfGroup(fields, field))].filter(
        ([value]) => !skip_empty_groups || typeof value === 'number' || value,
      )
    const nested = (group: Entries, [field, ...rest]: string[]): Fields =>
      field === undefined
        ? summary(group)
        : Object.fromEntries(groupsOf(group, field).map(([value, own]) => [String(value), nested(own, rest)]))
    const flat = (group: Entries, [field, ...rest]: string[]): OutputItem[] =>
      field === undefined
        ? [{ item: summary(group), from: group.map(({ from }) => from) }]
        : groupsOf(group, field).flatMap(([value, own]) =>
            flat(own, rest).map(({ item, from }) => ({
              item: { ...(item as Fields), ...(value === undefined ? {} : { [plainName(field)]: value }) },
              from,
            })),
          )
    if (!one_item) return listed(flat(entries, group_by))
    return listed([{ item: nested(entries, group_by), from: entries.map(({ from }) => from) }])
  },
})

function summaryOf({ operation, include_empty, separator }: z.output<typeof Summary>, values: unknown[]): unknown {
  const full = values.filter((value) => !isEmpty(value))
  const chosen = include_empty ? values : full
  if (operation === 'append') return chosen.map((value) => value ?? null)
  if (operation === 'concatenate')
    return chosen.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))).join(separator)
  if (operation === 'count') return chosen.length
  if (operation === 'count_unique') return new Set(chosen).size
  if (operation === 'min' || operation === 'max') {
    const sign = operation === 'min' ? 1 : -1
    return full.reduce<unknown>(
      (best, value) => (best === null || sign * comparedAsTheyAre(value, best) < 0 ? value : best),
      null,
    )
  }
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((total, number) => total + number, 0)
  return operation === 'sum' ? sum : numbers.length === 0 ? null : sum / numbers.length
}

const comparedAsTheyAre = (left: unknown, right: unknown): number =>
  (left as number) < (right as number) ? -1 : (left as number) > (right as number) ? 1 : 0

export const removeDuplicates = nodeType({
  ...common,
  type: 'remove_duplicates',
  title: 'Remove duplicates',
  description: 'Keeps the first of the items that are the same, or the same in some fields.',
  params: z.object({
    fields: names('Fields to compare. Leave blank for all'),
    except: names('Fields not to compare'),
    only_compared: z.boolean().default(false).meta({ description: 'Leave out the other fields' }),
    paths,
  }),
  async run({ fields, except, only_compared, paths }, { input }) {
    const entries = entriesOf(input)
    for (const field of fields)
      if (entries.some(({ fields: own }) => fieldAt(own, field, paths) === undefined))
        throw permanentError('no_field', `Some items do not have the field ${field}`)
    const seen = new Set<string>()
    const comparedIn = (own: Fields): Fields =>
      fields.length > 0
        ? Object.fromEntries(fields.map((field) => [field, fieldAt(own, field, paths)]))
        : except.reduce((left, field) => withoutField(left, field, paths), own)
    const kept = entries.flatMap(({ fields: own, item, from }) => {
      const compared = comparedIn(own)
      const key = comparable(compared)
      if (seen.has(key)) return []
      seen.add(key)
      return [{ item: only_compared ? (fields.length > 0 ? picked(own, fields, paths) : compared) : item, from }]
    })
    return listed(kept)
  },
})

/** Numbers and texts that look alike identify the same item, as do fields without a value. */
const plain = (value: unknown): unknown => (typeof value === 'object' && value !== null ? value : String(value ?? ''))

export const skipSeen = nodeType({
  category: 'data',
  risk: 'low',
  type: 'skip_seen',
  title: 'Skip seen items',
  description: 'Continues with the items that no earlier run has had.',
  params: z.object({
    action: z
      .enum(['skip', 'forget'])
      .default('skip')
      .meta({ labels: { skip: 'Skip seen items', forget: 'Forget all that were seen' } }),
    fields: names('Fields that tell items apart. Leave blank for all'),
    scope: z
      .enum(['node', 'workflow'])
      .default('node')
      .meta({ title: 'Seen by', labels: { node: 'This node', workflow: 'Any such node of this workflow' } }),
    remembered: z.int().min(1).max(1_000_000).default(10_000).meta({
      title: 'Items to remember',
      description: 'Then the oldest are forgotten',
    }),
    paths,
  }),
  outputs: [
    { name: 'true', label: 'New' },
    { name: 'false', label: 'Seen before' },
  ],
  async run({ action, fields, scope, remembered, paths }, { context, node, input, execution, token }) {
    const place = { workflow_id: execution.workflow_id, node_id: scope === 'node' ? node.id : '' }
    if (action === 'forget') {
      await context.commit([forgetSeen(place)])
      return { output: input, to: 'true' }
    }
    const entries = entriesOf(input).map(({ fields: own, item, from }) => {
      const compared = fields.length > 0 ? fields.map((field) => plain(fieldAt(own, field, paths))) : own
      return { key: context.secrets.sha256(comparable(compared)), entry: { item, from } }
    })
    const keys = [...new Set(entries.map(({ key }) => key))]
    if (keys.length > remembered)
      throw permanentError('too_large', `The input has ${keys.length} items; remember at least as many`)
    const run = `${execution.id} ${token}`
    await context.commit(remember(place, { run, keys, max: remembered }))
    const first = await firstSeenBy(context, place, run)
    const those = (isNew: boolean) => entries.filter(({ key }) => first.has(key) === isNew).map(({ entry }) => entry)
    return { outputs: { true: those(true), false: those(false) } }
  },
})

export const rename = nodeType({
  ...common,
  type: 'rename',
  title: 'Rename fields',
  description: 'Gives fields other names, one by one or by a pattern.',
  usual_input: 'item',
  params: z.object({
    fields: z
      .array(z.object({ from: name, to: name }))
      .max(100)
      .default([]),
    patterns: z
      .array(
        z.object({
          search: z.string().max(500).meta({ description: 'A regular expression' }),
          replace: z.string().max(500).default(''),
          ignore_case: z.boolean().default(false),
          depth: z.int().min(-1).max(100).default(-1).meta({ description: '-1 for all levels' }),
        }),
      )
      .max(20)
      .default([]),
  }),
  async run({ fields, patterns }, { input, runScript }) {
    let output = fieldsOf(input)
    for (const { from, to } of fields) {
      const value = fieldAt(output, from)
      if (value === undefined || from === to || from === '' || to === '') continue
      output = withoutField(withField(output, to, value), from)
    }
    if (patterns.length === 0) return { output }
    // A pattern of users runs in the engine, where it cannot stop the daemon.
    return { output: await runScript({ code: renameCode, input: { output, patterns } }) }
  },
})

const renameCode = `const renamed = (value, { search, replace, ignore_case }, depth) => {
  if (typeof value !== 'object' || value === null) return value
  const inner = (member) => (depth === 0 ? member : renamed(member, { search, replace, ignore_case }, depth - 1))
  if (Array.isArray(value)) return value.map(inner)
  const pattern = new RegExp(search, ignore_case ? 'i' : '')
  const kept = Object.entries(value).filter(([name]) => name.replace(pattern, replace) === name)
  const changed = Object.entries(value).filter(([name]) => name.replace(pattern, replace) !== name)
  return Object.fromEntries([
    ...kept.map(([name, member]) => [name, inner(member)]),
    ...changed.map(([name, member]) => [name.replace(pattern, replace), inner(member)]),
  ])
}
return input.patterns.reduce((value, pattern) => renamed(value, pattern, pattern.depth), input.output)`
