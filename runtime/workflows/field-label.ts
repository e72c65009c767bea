import { z } from 'zod'
import { titleOf } from '../label.ts'

interface Shape {
  title?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  oneOf?: Shape[]
}

/** By the parameters of a type of node, which never change. */
const shapes = new WeakMap<z.ZodType, Shape>()

function shapeOf(params: z.ZodType): Shape {
  const shape = shapes.get(params) ?? (z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) as Shape)
  shapes.set(params, shape)
  return shape
}

const isPosition = (name: string) => /^\d+$/.test(name)

/** A field as its form names it, such as "Cases 2 → Expression"; of a name that somebody chose, the name. */
export const fieldLabel = (params: z.ZodType | undefined, path: readonly PropertyKey[]): string =>
  labelIn(params && shapeOf(params), path.map(String))

function labelIn(shape: Shape | undefined, [name, ...rest]: readonly string[]): string {
  if (name === undefined) return ''
  const plain = shape?.anyOf?.find(({ properties, items }) => properties ?? items) ?? shape
  const member = plain?.properties?.[name]
  const own = isPosition(name) ? String(Number(name) + 1) : shape && !member ? name : titleOf(name, member ?? {})
  const inner = labelIn(member ?? plain?.items ?? (shape && {}), rest)
  return inner === '' ? own : `${own}${isPosition(rest[0] ?? '') ? ' ' : ' → '}${inner}`
}
