import type { Expression } from 'jsonata'
import { LRUCache } from 'lru-cache'
import { nextTurn } from './turn.ts'
import { comparable } from './values.ts'

/** Limits of one evaluation: milliseconds, nested calls, items of one list. */
const limits = { timeout: 2_000, stack: 250, sequence: 100_000 }

/** Maximum milliseconds for which evaluations block the event loop. */
const maxBlock = 20

/** Characters and members of one value that an expression makes, including nested ones: what a workflow's node passes on. */
const maxSize = 32 * 1024 * 1024

/** JSONata calls this hook with each value of an evaluation. */
const exitHook = Symbol.for('jsonata.__evaluate_exit') as unknown as string
/** JSONata calls and awaits this hook before each part of an expression. */
const entryHook = Symbol.for('jsonata.__evaluate_entry') as unknown as string

/** `quick` never yields. `patient` yields to the event loop; it is used if `quick` took too long. */
interface Compiled {
  quick: Expression
  patient?: Expression
}

/** Compiled expressions by text. One takes a few KB. */
const compiled = new LRUCache<string, Compiled>({ max: 2_000 })

async function compile(text: string): Promise<Compiled> {
  const cached = compiled.get(text)
  if (cached) return cached
  const expression = { quick: await parse(text, maxBlock) }
  compiled.set(text, expression)
  return expression
}

/**
 * Parses an expression. Throws an `Error` that says what is wrong with it. With a time limit above `maxBlock`, the
 * evaluation yields to the event loop, which makes it a third slower.
 */
async function parse(text: string, timeout: number): Promise<Expression> {
  const { default: jsonata } = await import('jsonata')
  const { LinearPattern } = await import('./linear-pattern.ts')
  const options = { ...limits, timeout, RegexEngine: LinearPattern as unknown as RegExpConstructor }
  try {
    const expression = jsonata(text, options)
    expression.registerFunction('pad', pad, '<s-ns?:s>')
    expression.registerFunction('join', join, '<a<s>s?:s>')
    expression.registerFunction('distinct', distinct, '<x:x>')
    expression.registerFunction('sort', sort, '<af?:a>')
    if (timeout > maxBlock) expression.assign(entryHook, yieldIfDue)
    pictured ??= picturedFunctions()
    for (const { name, run, signature } of await pictured) expression.registerFunction(name, run, signature)
    const growing = new Set<object>()
    if (mayGrow(expression.ast(), growing))
      expression.assign(exitHook, (...[part, , , result]: [object, unknown, unknown, unknown]) => {
        if (growing.has(part)) refuseLarger(sizeOf(result))
      })
    return expression
  } catch (thrown) {
    throw new Error(messageOf(thrown))
  }
}

/** Syntax types whose values are never larger than the data. Only others need the size check, which halves the speed. */
const bounded = new Set(['path', 'name', 'variable', 'string', 'number', 'value', 'condition', 'binary'])

/** Collects the parts of an expression whose values may be larger than the data. Returns whether there are any. */
function mayGrow(node: unknown, growing: Set<object>): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type, value } = node as { type?: unknown; value?: unknown }
  const isOwn =
    (typeof type === 'string' && !bounded.has(type)) ||
    (type === 'binary' && (value === '&' || value === '..')) ||
    (type === 'path' && repeats(node as Path))
  const grows =
    Object.values(node)
      .map((part) => mayGrow(part, growing))
      .includes(true) || isOwn
  if (grows) growing.add(node)
  return grows
}

interface Path {
  steps: readonly { type: string }[]
  group?: object
}

/** Whether a path may have the value of a variable once for each item, as in `list.$$`. */
const repeats = ({ steps, group }: Path): boolean =>
  steps.slice(1).some(({ type }) => type === 'variable') || JSON.stringify(group ?? '').includes('"type":"variable"')

/** Evaluated parts, and when evaluations last yielded. Shared by all hosts of a process, as is the event loop that they block. */
let begun = 0
let turn = 0

/** Yields to the event loop if evaluations have blocked it for too long. */
function yieldIfDue(): Promise<void> | undefined {
  begun += 1
  if ((begun & 127) !== 0) return undefined
  const now = Date.now()
  // After a pause, the period starts again.
  if (now - turn < maxBlock) return undefined
  const isFirst = now - turn > limits.timeout
  turn = now
  return isFirst
    ? undefined
    : nextTurn().then(() => {
        turn = Date.now()
      })
}

// These replace built-in functions. JSONata's pad and join check the size of their output only afterwards, and its
// distinct and sort take quadratic time.

function pad(text: string | undefined, width: number, fill = ' '): string | undefined {
  if (text === undefined) return undefined
  refuseLarger(Math.abs(width) * fill.length)
  const added = (fill || ' ').repeat(Math.abs(width)).slice(0, Math.max(0, Math.abs(width) - [...text].length))
  return width < 0 ? added + text : text + added
}

function join(parts: string[] | undefined, separator = ''): string | undefined {
  if (parts === undefined) return undefined
  refuseLarger(parts.length * separator.length)
  return parts.join(separator)
}

/** The first of each group of equal items. Members of objects may have any order. */
function distinct(items: unknown): unknown {
  if (!Array.isArray(items) || items.length <= 1) return items
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = comparable(item)
    return !seen.has(key) && seen.add(key)
  })
}

type Comparator = (left: unknown, right: unknown) => Promise<boolean>

/** Sorts numbers or strings or, with a function that is true if `left` comes after `right`, anything. The sort is stable. */
async function sort(items: unknown[] | undefined, isAfter?: Comparator): Promise<unknown[] | undefined> {
  if (items === undefined || items.length <= 1) return items
  if (items.length > limits.sequence) throw new Error(`$sort takes at most ${limits.sequence} items`)
  if (isAfter) return sortBy(items, isAfter)
  const [type] = new Set(items.map((item) => typeof item))
  if ((type !== 'number' && type !== 'string') || items.some((item) => typeof item !== type))
    throw new Error('$sort without a function takes only numbers or only texts')
  return items.toSorted((left, right) => ((left as number) < (right as number) ? -1 : left === right ? 0 : 1))
}

async function sortBy(items: unknown[], isAfter: Comparator): Promise<unknown[]> {
  let from = items.slice()
  let to: unknown[] = []
  for (let width = 1; width < items.length; width *= 2) {
    to = []
    for (let start = 0; start < items.length; start += 2 * width) {
      let [left, right] = [start, start + width]
      const [middle, end] = [Math.min(right, items.length), Math.min(right + width, items.length)]
      while (left < middle || right < end) {
        const isRight = left >= middle || (right < end && (await isAfter(from[left], from[right])))
        to.push(isRight ? from[right++] : from[left++])
      }
    }
    from = to
  }
  return from
}

/** Characters of a picture, the format of a date or number. */
const maxPicture = 200

type Builtin = (this: unknown, value: unknown, picture?: unknown, ...rest: unknown[]) => unknown

/** Built on first use; the functions keep no state. */
let pictured: ReturnType<typeof picturedFunctions> | undefined

/** JSONata's functions that take a picture, with a limit on it. */
async function picturedFunctions() {
  const { default: jsonata } = await import('jsonata')
  const { LinearPattern } = await import('./linear-pattern.ts')
  const names = ['fromMillis', 'toMillis', 'formatInteger', 'parseInteger', 'formatNumber']
  return Promise.all(
    names.map(async (name) => {
      const builtin = await jsonata(`$${name}`).evaluate({})
      const original = builtin.implementation as Builtin
      const run: Builtin = function (value, picture, ...rest) {
        if (typeof picture !== 'string') return original.call(this, value, picture, ...rest)
        if (picture.length > maxPicture) throw new Error(`a picture has at most ${maxPicture} characters`)
        return withPattern(LinearPattern, () => original.call(this, value, picture, ...rest))
      }
      return { name, run, signature: builtin.signature.definition as string }
    }),
  )
}

/**
 * Runs a function whose first `new RegExp` is a `Pattern`. JSONata compiles the picture of a date into an expression that
 * backtracks for hours on a text of 200 digits, and has no option for another engine here.
 */
function withPattern<Result>(Pattern: new (source: RegExp) => unknown, run: () => Result): Result {
  const native = globalThis.RegExp
  function Once(source: string, flags: string) {
    globalThis.RegExp = native
    return new Pattern(new native(source, flags))
  }
  globalThis.RegExp = Once as unknown as RegExpConstructor
  try {
    return run()
  } finally {
    globalThis.RegExp = native
  }
}

function refuseLarger(size: number): void {
  if (size > maxSize) throw new Error('its values grow too large')
}

/** What is wrong with an expression, or null. */
export async function jsonataProblem(text: string): Promise<string | null> {
  try {
    await compile(text)
    return null
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/** The distinct names of the fields that an expression reads. Throws an `Error` if it cannot be parsed. */
export async function jsonataNames(text: string): Promise<string[]> {
  const names = new Set<string>()
  collectNames((await compile(text)).quick.ast(), names)
  return [...names]
}

function collectNames(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  const { type, value } = node as { type?: unknown; value?: unknown }
  if (type === 'name' && typeof value === 'string') names.add(value)
  for (const member of Object.values(node)) collectNames(member, names)
}

/**
 * Evaluates an expression over `data`, which must be JSON. It reads own members only, cannot reach the host,
 * and is stopped when it takes too long or its values grow too large. Throws an `Error` that says why.
 */
export async function evaluateJsonata(text: string, data: Record<string, unknown>): Promise<unknown> {
  const expression = compiled.get(text) ?? (await compile(text))
  try {
    return await expression.quick.evaluate(data)
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== timedOut) throw new Error(messageOf(thrown))
  }
  expression.patient ??= await parse(text, limits.timeout)
  try {
    return await expression.patient.evaluate(data)
  } catch (thrown) {
    throw new Error(messageOf(thrown))
  }
}

/** JSONata's code for an evaluation that took too long. */
const timedOut = 'D1012'

/** Sizes of objects, which no expression changes after it has made them. */
const sizes = new WeakMap<object, number>()

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 1
  if (typeof value !== 'object' || value === null) return 1
  const cached = sizes.get(value)
  if (cached !== undefined) return cached
  // Functions refer to their scope, which refers to itself.
  if ('_jsonata_lambda' in value || '_jsonata_function' in value) return 1
  sizes.set(value, 1)
  let size = 1
  for (const member of Object.values(value)) {
    size += sizeOf(member)
    if (size > maxSize) break
  }
  sizes.set(value, size)
  return size
}

/** JSONata throws plain objects with a message. */
function messageOf(thrown: unknown): string {
  const message = (thrown as { message?: unknown } | null)?.message
  return typeof message === 'string' ? message : String(thrown)
}
