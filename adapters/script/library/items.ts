import type { DateTime as LuxonDateTime } from 'luxon'
import type { NodeData } from '../../../runtime/workflows/script/node-data.ts'
import { type Comparison, compared, converted, parseLoosely } from './conditions.ts'
import { average, ExpressionError, extend, extendOptional, extensionNames } from './extensions.ts'
import { $date, $hash, $hmac, $random, $sign, $xml } from './functions.ts'
import { define } from './host.ts'
import * as services from './services.ts'

/** What expressions and code of workflows that work on items find: `$json`, `$input`, `$('Node')` and the like. */

/** One call: what the node works on. */
interface Call {
  /** The items of the input. */
  items: unknown[]
  /** The position of the first of them. */
  first_index: number
  nodes: Record<string, NodeData>
  vars: Record<string, unknown>
  workflow: { id: string; name: string; active: boolean }
  execution: { id: string; mode: string; resumeUrl?: string; resumeFormUrl?: string }
  node: { id: string; name: string }
  previous: { name: string; output: number } | null
  run_index: number
  /** ISO 8601. */
  now: string
  zone: string
  /** What the workflow keeps, if the code asks for it. */
  static_data?: Record<string, Record<string, unknown>>
  /** Further globals. */
  variables?: Record<string, unknown>
}

interface Item {
  json: unknown
  binary?: unknown
  pairedItem?: unknown
}

let call: Call
let index = 0
let items: Item[] = []
const made = new Map<unknown[], Item[]>()

/** The files of an item are in a field of its data. */
const filesField = '$binary'

function itemOf(value: unknown, position: number): Item {
  const pairedItem = { item: position }
  if (!isObject(value) || !isObject(value[filesField])) return { json: value, pairedItem }
  const { [filesField]: files, ...json } = value
  const binary = Object.entries(files as object).map(([name, file]) => [name, isObject(file) ? fileView(file) : file])
  return { json, binary: Object.fromEntries(binary), pairedItem }
}

/** A file with the names that n8n has for what describes it. */
function fileView(file: Record<string, unknown>): object {
  const { name, mime_type, size_bytes, file_id } = file
  const ending = /\.([^.]+)$/.exec(String(name))?.[1]
  return {
    ...file,
    ...{ fileName: name, mimeType: mime_type, fileSize: size_bytes, id: file_id },
    ...(ending && { fileExtension: ending }),
  }
}

/** What is stored of a file: a reference, or new content as Base64. */
function storedFile(file: unknown): unknown {
  if (!isObject(file)) return file
  const { file_id, name, fileName = name, mime_type, mimeType = mime_type, size_bytes, sha256, data } = file
  const described = { name: fileName, mime_type: mimeType }
  return file_id === undefined ? { ...described, data } : { file_id, ...described, size_bytes, sha256 }
}

function dataOf({ json, binary }: Item): unknown {
  if (!isObject(binary) || !isObject(json) || Object.keys(binary).length === 0) return json
  const files = Object.entries(binary).map(([name, file]) => [name, storedFile(file)])
  return { ...json, [filesField]: Object.fromEntries(files) }
}

/** The items of a list, the same ones each time. */
function wrapped(list: unknown[]): Item[] {
  let own = made.get(list)
  if (!own) {
    own = list.map(itemOf)
    made.set(list, own)
  }
  return own
}

/** Also for `luxon.ts`, which is loaded when it is first used. */
const time = { zone: 'UTC', now: () => Date.now() }
define('hearthdTime', time)

function begin(next: Call): void {
  for (const [name, value] of Object.entries(next.variables ?? {})) define(name, value)
  call = next
  items = wrapped(call.items)
  time.zone = call.zone
  const offset = Date.parse(call.now) - Date.now()
  time.now = () => Date.now() + offset
  const loaded = Object.getOwnPropertyDescriptor(globalThis, 'luxon')?.value
  if (loaded) loaded.Settings.defaultZone = time.zone
}

// Other nodes

function nodeOf(name: string): NodeData {
  const node = Object.hasOwn(call.nodes, name) ? call.nodes[name] : undefined
  if (!node) throw new ExpressionError(`Referenced node doesn't exist: ${name}`)
  return node
}

function executed(name: string): NodeData {
  const node = nodeOf(name)
  if (!node.executed) throw new ExpressionError(`Node "${name}" hasn't been executed`)
  return node
}

function itemsOf(name: string, output?: number, run?: number): Item[] {
  const node = executed(name)
  if (run !== undefined && run >= 0) {
    const list = node.runs?.[run]
    if (!list) throw new ExpressionError(`Run ${run} of node "${name}" is not available`)
    return wrapped(list)
  }
  if (output === undefined) return wrapped(node.items)
  const list = node.outputs ? node.outputs[output] : output === 0 ? node.items : undefined
  if (!list) throw new ExpressionError(`Node "${name}" has no branch with index ${output}.`)
  return wrapped(list)
}

function pairedItem(name: string, at: number): Item | undefined {
  const { items: own, pairs = [], others = [] } = executed(name)
  const position = pairs[at] ?? null
  if (position === null)
    throw new ExpressionError(
      `The item of "${name}" that belongs to item ${at} is not known; use first(), last() or all()`,
    )
  if (position < 0)
    throw new ExpressionError(`Several items of "${name}" belong to item ${at}; use first(), last() or all()`)
  return position < own.length ? wrapped(own)[position] : wrapped(others)[position - own.length]
}

function denied(what: string) {
  const refuse = (): never => {
    throw new ExpressionError(`access to ${what} denied`)
  }
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse })
}

const parameters = denied('the parameters of nodes')

function $(name: string) {
  return {
    get item() {
      return pairedItem(name, index)
    },
    pairedItem: (at = index) => pairedItem(name, at),
    itemMatching(at: number) {
      if (at === undefined) throw new ExpressionError('Missing item index for .itemMatching()')
      return pairedItem(name, at)
    },
    first: (output?: number, run?: number) => itemsOf(name, output, run)[0],
    last: (output?: number, run?: number) => itemsOf(name, output, run).at(-1),
    all: (output?: number, run?: number) => itemsOf(name, output, run),
    get isExecuted() {
      return call.nodes[name]?.executed === true
    },
    params: parameters,
    get context() {
      return nodeOf(name).context ?? {}
    },
  }
}

/** `$node["Name"]`: the item at the same position. */
const nodesAt = (at: () => number) =>
  new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name !== 'string') return undefined
        const own = (): Item => {
          const item = itemsOf(name)[at()]
          if (!item) throw new ExpressionError(`No data found for item-index: "${at()}"`)
          return item
        }
        return {
          get json() {
            return own().json
          },
          get data() {
            return own().json
          },
          get binary() {
            return own().binary ?? {}
          },
          get context() {
            return nodeOf(name).context ?? {}
          },
          parameter: parameters,
          runIndex: 0,
        }
      },
    },
  )

const $input = {
  get item() {
    return items[index]
  },
  first: () => items[0],
  last: () => items.at(-1),
  all: () => items,
  params: parameters,
  get context() {
    return call.previous ? nodeOf(call.previous.name).context : {}
  },
}

const denials = {
  $env: denied('env vars'),
  $secrets: denied('secrets'),
}

function $jmespath(data: unknown, expression: unknown): unknown {
  if (typeof data !== 'object' || typeof expression !== 'string')
    throw new ExpressionError('expected two arguments (Object, string) for this function')
  const { jmespath } = globalThis as unknown as { jmespath: { search(data: unknown, text: string): unknown } }
  return jmespath.search(data, expression)
}

function $ifEmpty(...values: unknown[]): unknown {
  if (values.length !== 2) throw new ExpressionError('expected two arguments (value, defaultValue) for this function')
  const [value, otherwise] = values
  if (value === undefined || value === null || value === '') return otherwise
  return typeof value === 'object' && Object.keys(value).length === 0 ? otherwise : value
}

function numberList(start: number, end: number): number[] {
  const step = start < end ? 1 : -1
  return Array.from({ length: Math.abs(start - end) + 1 }, (_, at) => start + at * step)
}

function zip(keys: unknown[], values: unknown[]): object {
  if (keys.length !== values.length) throw new ExpressionError('keys and values not of equal length')
  return Object.fromEntries(keys.map((key, at) => [key, values[at]]))
}

const averageOf = (...numbers: number[]) => average(numbers)
const isFalse = (value: unknown) => !value

const constants = {
  ...{ $, $input, $jmespath, $jmesPath: $jmespath, $ifEmpty, ...denials },
  ...{ min: Math.min, $min: Math.min, max: Math.max, $max: Math.max, numberList, zip },
  ...{ average: averageOf, $average: averageOf, not: isFalse, $not: isFalse },
  $if: (test: unknown, yes: unknown, no: unknown) => (test ? yes : no),
  $node: nodesAt(() => index),
  $parameter: parameters,
  $rawParameter: parameters,
  $items: (name?: string, output = 0, run?: number) => (name === undefined ? items : itemsOf(name, output, run)),
  $item: (at: number) => ({
    ...{ $node: nodesAt(() => at), $json: items[at]?.json, $data: items[at]?.json },
    ...{ $position: at, $itemIndex: at },
  }),
}

const itemIndex = () => index + call.first_index

const dateTime = (): typeof LuxonDateTime => globalThis.DateTime

const computed: Record<string, () => unknown> = {
  $json: () => items[index]?.json,
  $data: () => items[index]?.json,
  $binary: () => items[index]?.binary ?? {},
  ...{ $itemIndex: itemIndex, $position: itemIndex, $thisItemIndex: itemIndex },
  $thisItem: () => items[index],
  ...{ $runIndex: () => call.run_index, $thisRunIndex: () => call.run_index },
  $vars: () => call.vars,
  $workflow: () => call.workflow,
  $execution: () => call.execution,
  $mode: () => call.execution.mode,
  $nodeId: () => call.node.id,
  $nodeName: () => call.node.name,
  $prevNode: () => ({
    name: call.previous?.name,
    outputIndex: call.previous?.output ?? 0,
    runIndex: 0,
  }),
  $now: () => dateTime().now(),
  $today: () => dateTime().now().startOf('day'),
}

for (const [name, value] of Object.entries(constants)) define(name, value)
for (const [name, get] of Object.entries(computed))
  Object.defineProperty(globalThis, name, { get, set: (value) => define(name, value), configurable: true })

/** What the workflow or this node keeps from one execution to the next; the code changes it. */
define('$getWorkflowStaticData', (type: string): Record<string, unknown> => {
  if (type !== 'global' && type !== 'node') throw new ExpressionError(`The type "${type}" is not defined.`)
  const kept = call.static_data ?? {}
  const name = type === 'global' ? type : `node:${call.node.id}`
  kept[name] ??= {}
  return kept[name]
})

// Expressions

type Compiled = () => unknown
const compiled = new Map<string, Compiled>()

/** Kept functions of expressions. */
const maxCompiled = 2_000

/** This engine is where expressions of users belong: it has no input and output. */
// biome-ignore lint/security/noGlobalEval: see above
const evaluate = globalThis.eval

function compile(code: string): Compiled {
  let own = compiled.get(code)
  if (!own) {
    own = evaluate(`(function () { return (${code}\n) })`) as Compiled
    if (compiled.size >= maxCompiled) compiled.clear()
    compiled.set(code, own)
  }
  return own
}

const unknownName = /^'?([\w$]+)'? is not defined$/

/** The value of a function. Its errors are no value, but for those of the functions here; names that are unknown too. */
function attempted(run: Compiled): unknown {
  try {
    return run()
  } catch (thrown) {
    if (thrown instanceof ExpressionError) throw thrown
    if (!(thrown instanceof Error)) return undefined
    if (thrown.name === 'InternalError') throw thrown
    const [, name] = (thrown instanceof ReferenceError && unknownName.exec(thrown.message)) || []
    if (name === undefined || Object.hasOwn(globalThis, name)) return undefined
    define(name, undefined)
    return attempted(run)
  }
}

function evaluated(code: string): unknown {
  let run: Compiled
  try {
    run = compile(code)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new ExpressionError('invalid syntax')
    throw thrown
  }
  return attempted(run)
}

const asText = (value: unknown): unknown => (value || value === 0 || value === false ? value : '')

// Of imported nodes: functions stand for expressions, whose errors are no value

const valueIn = (part: unknown): unknown => (typeof part === 'function' ? attempted(part as Compiled) : part)

function $typed(value: unknown, type: string, { missing, loose }: { missing?: string; loose?: boolean } = {}): unknown {
  const own = valueIn(value)
  if (own !== undefined && own !== null)
    try {
      return converted(own, type)
    } catch (thrown) {
      if (loose) return own
      throw thrown
    }
  if (missing === 'text') return String(own)
  if (missing === 'error') throw new ExpressionError(`A value of the type ${type} is missing`)
  return null
}

for (const [name, value] of Object.entries({
  $typed,
  $date,
  $hash,
  $hmac,
  $random,
  $sign,
  $xml,
  ...services,
  $compare: (left: unknown, comparison: Comparison, right?: unknown) =>
    compared(valueIn(left), valueIn(right), comparison),
  /** A text with values. */
  $join: (...parts: unknown[]) => parts.map((part) => asText(valueIn(part))).join(''),
  /** A text of JSON with values, of which lists and objects are JSON too. */
  $joinJson: (...parts: unknown[]) =>
    parts
      .map(valueIn)
      .map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)))
      .join(''),
  /** What a text of JSON says; another value stays as it is. With the message of its error, it is read strictly. */
  $parseJson(value: unknown, error?: string) {
    const own = valueIn(value)
    if (typeof own !== 'string') return own
    const json = parseLoosely(own, error !== undefined)
    if (json === undefined) throw new ExpressionError(error ?? `It is not JSON: ${own.slice(0, 200)}`)
    return json
  },
  $fail(message: string): never {
    throw new ExpressionError(message)
  },
}))
  define(name, value)

/** Texts, and expressions at odd positions. */
interface Template {
  parts: string[]
  /** The values stay apart. */
  apart: boolean
}

type Result = { value?: unknown } | { parts: unknown[] } | { error: string }

function resultOf({ parts, apart }: Template): Result {
  try {
    const [before, code = '', after] = parts
    const isWhole = parts.length === 3 && before === '' && after === ''
    const values = parts.map((part, at) => (at % 2 === 1 ? evaluated(part) : part))
    if (apart)
      return { parts: values.map((value, at) => (at % 2 === 1 && !isWhole ? String(asText(value)) : plain(value))) }
    if (!isWhole) return { value: values.map(asText).join('') }
    const value = values[1]
    if (typeof value === 'function') throw new ExpressionError(`${code.trim()} is a function, please add ()`)
    return { value: plain(value) }
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'InternalError') throw thrown
    return { error: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

interface Expressions extends Call {
  templates: Template[]
  /** The positions of the items for which they are evaluated. */
  at: number[]
}

function evaluateAll(next: Expressions): Result[][] {
  begin(next)
  return next.at.map((position) => {
    index = position
    return next.templates.map(resultOf)
  })
}

// Code

/** Positions of the input that an item was made from. */
type From = number | number[] | null

interface Output {
  items: unknown[]
  from: From[] | null
  /** If the code has changed it. */
  static_data?: Record<string, unknown>
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The items of the input that code names. A position that the input does not have is not known. */
function fromOf(paired: unknown): From {
  if (typeof paired === 'number')
    return Number.isInteger(paired) && paired >= 0 && paired < items.length ? paired : null
  if (Array.isArray(paired)) {
    const all = paired.map(fromOf)
    return all.every((one) => typeof one === 'number') ? all : null
  }
  return isObject(paired) && typeof paired.item === 'number' ? fromOf(paired.item) : null
}

function isItem(value: Record<string, unknown>): boolean {
  return (
    'json' in value &&
    Object.keys(value).every((name) => ['json', 'binary', 'pairedItem', 'error', 'index'].includes(name))
  )
}

/** An error about what the code returned, in n8n's words, because workflows read them. Without a name, it is shown alone. */
const badReturn = (message: string) => Object.assign(new Error(message), { name: '' })

function checkedItem(value: unknown, at: number): Item {
  if (!isObject(value)) throw badReturn("Code doesn't return items properly")
  if (!isItem(value)) return { json: value }
  const { json, ...rest } = value
  if (!isObject(json)) throw badReturn(`A 'json' property isn't an object [item ${at}]`)
  return { json, ...rest }
}

function output(returned: readonly Item[], before: string | undefined, usual?: (at: number) => From): Output {
  const { static_data } = call
  const from = returned.map(({ pairedItem: paired }, at) => fromOf(paired) ?? usual?.(at) ?? null)
  return {
    items: returned.map(dataOf),
    from: usual || returned.some(({ pairedItem: paired }) => paired !== undefined) ? from : null,
    ...(static_data && JSON.stringify(static_data) !== before ? { static_data } : {}),
  }
}

/** Runs code once, with all items. */
async function runOnce(next: Call, body: (items: Item[], item: Item | undefined) => unknown): Promise<Output> {
  begin(next)
  const before = JSON.stringify(call.static_data)
  const returned = await body(items, items[0])
  if (returned === undefined || returned === null || typeof returned !== 'object')
    throw badReturn("Code doesn't return items properly")
  return output([returned].flat().map(checkedItem), before)
}

/** Runs code for each item, with the item or with its data alone. */
async function runEach(
  next: Call,
  body: (item: unknown, items: Item[]) => unknown,
  { onlyData = false } = {},
): Promise<Output> {
  begin(next)
  const before = JSON.stringify(call.static_data)
  const returned: Item[] = []
  const from: number[] = []
  for (const [at, item] of items.entries()) {
    index = at
    const result = await body(onlyData ? item.json : item, items)
    if (Array.isArray(result)) throw badReturn(`Code doesn't return a single object [item ${at}]`)
    if (!isObject(result)) throw badReturn(`Code doesn't return an object [item ${at}]`)
    returned.push(onlyData ? { json: result } : checkedItem(result, at))
    from.push(at)
  }
  return output(returned, before, (at) => from[at] ?? null)
}

define('hearthdItems', Object.freeze({ evaluateAll, runOnce, runEach, extend, extendOptional, extensionNames }))
