import { isRecord } from '../values.ts'
import { NodeError } from './node-type.ts'

/** A step of a path: the name of a field, which may also be a position of a list, or a position in brackets. */
type Step = { name: string } | { index: number }

/** The steps of a path such as `customer.name`, `items[0].name` or `items.0.name`. */
function stepsOf(path: string): Step[] {
  return path.split('.').flatMap((part) => {
    const [, name = part, brackets = ''] = /^(.*?)((?:\[-?\d+\])+)$/.exec(part) ?? []
    const indexes = [...brackets.matchAll(/-?\d+/g)].map(([digits]) => ({ index: Number(digits) }))
    return name === '' && indexes.length > 0 ? indexes : [{ name }, ...indexes]
  })
}

type Fields = Record<string, unknown>

/**
 * A copy of the fields with the values at their paths. Parents that are missing are created: lists for `[0]`, else objects.
 * A path that would replace what is there, such as a field of a text, or leave a gap in a list, throws `NodeError`.
 */
export function withFields(fields: Fields, values: Iterable<readonly [path: string, value: unknown]>): Fields {
  const copies = new WeakSet<object>()
  let result = fields
  // A value that would leave a gap may fit after the others.
  for (let left = [...values], later: typeof left = []; left.length > 0; left = later, later = []) {
    let gap: unknown
    for (const [path, value] of left) {
      try {
        result = placed(result, stepsOf(path), { path, before: '', value, copies }) as Fields
      } catch (thrown) {
        if (!(thrown instanceof Gap)) throw thrown
        gap ??= thrown
        later.push([path, value])
      }
    }
    if (later.length === left.length) throw gap
  }
  return result
}

export const withField = (fields: Fields, path: string, value: unknown): Fields => withFields(fields, [[path, value]])

/** The value at a path; undefined if there is none. A field with the whole path as its name comes first. */
export function fieldAt(value: unknown, path: string, isPath = true): unknown {
  const own = (container: unknown, name: string | number): unknown =>
    typeof container === 'object' && container !== null && Object.hasOwn(container, name)
      ? (container as Record<string | number, unknown>)[name]
      : undefined
  const direct = own(value, path)
  if (!isPath || direct !== undefined) return direct
  return stepsOf(path).reduce<unknown>((at, step) => own(at, 'index' in step ? step.index : step.name), value)
}

/** A copy of the fields without what is at a path. */
export function withoutField(fields: Fields, path: string, isPath = true): Fields {
  const [step, ...rest] = isPath && !Object.hasOwn(fields, path) ? stepsOf(path) : [{ name: path }]
  const name = step && 'name' in step ? step.name : undefined
  if (name === undefined || !Object.hasOwn(fields, name)) return fields
  const { [name]: member, ...others } = fields
  if (rest.length === 0) return others
  if (!isRecord(member)) return fields
  const inner = rest.map((one) => ('index' in one ? `[${one.index}]` : one.name)).join('.')
  return { ...fields, [name]: withoutField(member, inner) }
}

/** The fields at some paths, under the last name of each. */
export function picked(fields: Fields, paths: readonly string[], isPath = true): Fields {
  const entries = paths.map((path) => [isPath ? (path.split('.').at(-1) ?? path) : path, fieldAt(fields, path, isPath)])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Fields
}

interface Target {
  path: string
  /** The steps before the current one, as text. */
  before: string
  value: unknown
  /** Containers that are copies already: each is copied once, however many values it gets. */
  copies: WeakSet<object>
}

function copyOf<Container extends object>(container: Container, { copies }: Target): Container {
  if (copies.has(container)) return container
  const copy = (Array.isArray(container) ? [...container] : { ...container }) as Container
  copies.add(copy)
  return copy
}

function placed(container: unknown, [step, ...rest]: Step[], target: Target): unknown {
  if (!step) return target.value
  const before = textOf(target.before, step)
  const put = (current: unknown) => placed(current, rest, { ...target, before })
  if (container === undefined || container === null) return placed('index' in step ? [] : {}, [step, ...rest], target)
  if (Array.isArray(container)) {
    const index = positionIn(container, step, target)
    const list: unknown[] = copyOf(container, target)
    list[index] = put(list[index])
    return list
  }
  if (typeof container !== 'object')
    refuse(target, `is a ${typeof container === 'string' ? 'text' : typeof container} and has no fields`)
  if ('index' in step) refuse(target, 'is not a list')
  const { name } = step
  // A prototype is not data, and a copy of the object would lose it.
  if (name === '__proto__') refuse({ ...target, before }, 'is not a possible name')
  const own = copyOf(container as Fields, target)
  own[name] = put(Object.hasOwn(own, name) ? own[name] : undefined)
  return own
}

const textOf = (before: string, step: Step): string =>
  'index' in step ? `${before}[${step.index}]` : before === '' ? step.name : `${before}.${step.name}`

/** The position of a step in a list, which is at most the one after its last item. */
function positionIn(list: readonly unknown[], step: Step, target: Target): number {
  const index = 'index' in step ? step.index : /^-?\d+$/.test(step.name) ? Number(step.name) : null
  if (index === null)
    refuse(target, `is a list: name one of its items, as in ${target.before}[0], or put a loop before this node`)
  if (index < 0 || index > list.length)
    refuse(target, `is a list with ${list.length} items: its positions are 0 to ${list.length}`, Gap)
  return index
}

/** A position after the end of a list. */
class Gap extends NodeError {}

function refuse({ path, before }: Target, reason: string, Kind = NodeError): never {
  throw new Kind('path', `${path} cannot be set: ${before || 'the input'} ${reason}`, { permanent: true })
}
