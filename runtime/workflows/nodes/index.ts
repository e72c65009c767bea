import type { NodeType } from '../node-type.ts'
import { code } from './code.ts'
import { condition } from './condition.ts'
import { merge, note, parallel, placeholder } from './flow.ts'
import { http } from './http.ts'
import { loop } from './loop.ts'
import { set } from './set.ts'
import { switchNode } from './switch.ts'
import { manual } from './triggers.ts'

/** Every type of node, in the order of the palette. A new one is a file and a line here. */
const types: readonly NodeType[] = [
  manual,
  http,
  code,
  set,
  condition,
  switchNode,
  loop,
  parallel,
  merge,
  placeholder,
  note,
]

const byType = new Map(types.map((type) => [type.type, type]))

export const nodeTypes = (): readonly NodeType[] => types
export const findNodeType = (type: string): NodeType | undefined => byType.get(type)
