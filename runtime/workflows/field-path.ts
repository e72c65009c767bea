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

/**
 * A copy of the fields with the value at the path. Parents that are missing are created: lists for `[0]`, else objects. A
 * path that would replace what is there, such as a field of a text, or leave a gap in a list, throws `NodeError`.
 */
export function withField(
  fields: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  return placed(fields, stepsOf(path), { path, before: '', value }) as Record<string, unknown>
}

interface Target {
  path: string
  /** The steps before the current one, as text. */
  before: string
  value: unknown
}

function placed(container: unknown, [step, ...rest]: Step[], target: Target): unknown {
  if (!step) return target.value
  const before = textOf(target.before, step)
  const put = (current: unknown) => placed(current, rest, { ...target, before })
  if (container === undefined || container === null)
    return placed('index' in step ? [] : {}, [step, ...rest], target)
  if (Array.isArray(container)) {
    const index = positionIn(container, step, target)
    return index === container.length
      ? [...container, put(undefined)]
      : container.with(index, put(container[index]))
  }
  if (typeof container !== 'object')
    refuse(target, `is a ${typeof container === 'string' ? 'text' : typeof container} and has no fields`)
  if ('index' in step) refuse(target, 'is not a list')
  const { name } = step
  // A prototype is not data, and a copy of the object would lose it.
  if (name === '__proto__') refuse({ ...target, before }, 'is not a possible name')
  const own = container as Record<string, unknown>
  return { ...own, [name]: put(Object.hasOwn(own, name) ? own[name] : undefined) }
}

const textOf = (before: string, step: Step): string =>
  'index' in step ? `${before}[${step.index}]` : before === '' ? step.name : `${before}.${step.name}`

/** The position of a step in a list, which is at most the one after its last item. */
function positionIn(list: readonly unknown[], step: Step, target: Target): number {
  const index = 'index' in step ? step.index : /^-?\d+$/.test(step.name) ? Number(step.name) : null
  if (index === null)
    refuse(
      target,
      `is a list: name one of its items, as in ${target.before}[0], or put a loop before this node`,
    )
  if (index < 0 || index > list.length)
    refuse(target, `is a list with ${list.length} items: its positions are 0 to ${list.length}`)
  return index
}

function refuse({ path, before }: Target, reason: string): never {
  throw new NodeError('path', `${path} cannot be set: ${before || 'the input'} ${reason}`, {
    permanent: true,
  })
}
