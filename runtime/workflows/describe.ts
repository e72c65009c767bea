import { z } from 'zod'
import type { NodeType } from './node-type.ts'
import { nodeTypes } from './nodes/index.ts'
import type { NodeTypeInfo } from './schema.ts'

let described: NodeTypeInfo[] | undefined

/** Every type of node, for the palette and the forms of an editor. */
export function describeNodeTypes(): NodeTypeInfo[] {
  described ??= nodeTypes().map(describe)
  return described
}

function describe(type: NodeType): NodeTypeInfo {
  const { $schema: _, ...params } = z.toJSONSchema(type.params, { io: 'input' })
  const error =
    type.category === 'trigger' || type.outputs?.length === 0 ? [] : [{ name: 'error', label: 'Error' }]
  return {
    type: type.type,
    title: type.title,
    description: type.description,
    category: type.category,
    params,
    outputs: [...(type.outputs ?? [{ name: 'main', label: '' }]), ...error],
    outputs_from: type.outputs_from ?? null,
    risk: type.risk,
    side_effects: type.side_effects ?? false,
    available: type.unavailable === undefined,
    reason: type.unavailable ?? null,
  }
}
