import type { z } from 'zod'
import { readable } from '../validation.ts'
import { isExpression, resolveParams } from './expressions.ts'
import { NodeError, type NodeScope, type NodeType, type Signal } from './node-type.ts'
import type { Kept } from './runs.ts'
import type { Token } from './state.ts'

/** The parameters of a node with their expressions evaluated, checked. Throws `NodeError`. */
export async function paramsOf(type: NodeType, scope: NodeScope): Promise<unknown> {
  const implied = defaultsOf(type)
  const given = { ...implied, ...scope.node.params }
  const resolved = (await resolveParams(type, given, scope)) as Record<string, unknown>
  // Without a value, the default would be the expression itself, as a text.
  for (const [name, value] of Object.entries(implied))
    if (isExpression(value) && resolved[name] === undefined) resolved[name] = null
  const parsed = type.params.safeParse(resolved, readable)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new NodeError('invalid_params', `${issue?.path.join('.') || 'The parameters'} ${issue?.message}`, {
    permanent: true,
  })
}

const defaults = new WeakMap<NodeType, Record<string, unknown>>()

/** Defaults that are expressions, such as the items of a loop. */
function defaultsOf(type: NodeType): Record<string, unknown> {
  let known = defaults.get(type)
  if (!known) {
    const fields = Object.entries((type.params as z.ZodObject).shape)
    const values = fields.map(([name, field]) => [name, (field as z.ZodType).safeParse(undefined).data])
    known = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, unknown>
    defaults.set(type, known)
  }
  return known
}

/** The parameters that a gate asked a person about. */
export function approvedParams(
  type: NodeType,
  { data, options }: NonNullable<Token['wait']>,
  signal: Signal | undefined,
): unknown {
  if (!type.gate) throw new Error(`${type.type} cannot continue after a wait`)
  if (signal?.type === 'answer' && signal.choice === options[0]) return (data as Kept).data
  const comment = signal?.type === 'answer' && signal.comment !== '' ? `: ${signal.comment}` : ''
  throw new NodeError('refused', `A person refused this call${comment}`, { permanent: true })
}
