import { z } from 'zod'
import { invalid } from '../../fault.ts'
import { ownValue } from '../../own-value.ts'
import { readable } from '../../validation.ts'

export const Node = z.object({
  id: z.string().optional().catch(undefined),
  name: z.string().min(1).max(200),
  type: z.string().min(1).max(200),
  typeVersion: z.number().default(1),
  position: z.array(z.number()).min(2).default([0, 0]),
  parameters: z.record(z.string(), z.unknown()).default({}),
  credentials: z.record(z.string(), z.union([z.string(), z.looseObject({ name: z.string().optional() })])).default({}),
  disabled: z.boolean().optional(),
  notes: z.string().max(10_000).optional(),
  retryOnFail: z.boolean().optional(),
  maxTries: z.int().optional(),
  waitBetweenTries: z.number().min(0).max(3_600_000).optional(),
  continueOnFail: z.boolean().optional(),
  executeOnce: z.boolean().optional(),
  alwaysOutputData: z.boolean().default(false),
  onError: z.string().optional(),
})
/** A node as far as it is read. */
export type Node = z.output<typeof Node> & {
  /** The fields that could not be read. */
  unread: Unread[]
}

interface Unread {
  field: string
  message: string
  original: unknown
}

const Target = z.object({ node: z.string(), type: z.string().default('main'), index: z.number().default(0) })

/** Where a node leads to: by kind of connection, then by output. */
type Connections = Record<string, Record<string, (z.output<typeof Target>[] | null)[]>>

/** A file of n8n as far as it is read. */
export interface File {
  name: string
  nodes: Node[]
  connections: Connections
  settings: Record<string, unknown>
  pinData: Record<string, unknown[]>
  unread: Unread[]
}

const FileShape = z.object({ nodes: z.array(z.record(z.string(), z.unknown())).min(1).max(500) }).loose()

/** Reads a file. Fields of another shape are left out and listed, so that the rest can be imported. */
export function readFile(file: unknown): File {
  const parsed = FileShape.safeParse(file, readable)
  if (!parsed.success)
    throw invalid(
      parsed.error.issues.map(({ path, message }) => ({
        path: path.join('.'),
        message: `${message}; this is not a workflow file of n8n`,
      })),
    )
  const { nodes, name, connections, settings, pinData } = parsed.data
  const unread: Unread[] = []
  const part = <Shape extends z.ZodType>(shape: Shape, field: string, value: unknown, fallback: z.output<Shape>) => {
    const read = shape.safeParse(value ?? fallback, readable)
    if (read.success) return read.data
    unread.push({ field, message: unreadText(read.error.issues[0]?.message), original: value })
    return fallback
  }
  const members = z.record(z.string(), z.unknown())
  return {
    name: part(z.string(), 'name', name, 'Imported workflow'),
    nodes: nodes.map(readNode),
    connections: connectionsOf(part(members, 'connections', connections, {}), unread),
    settings: part(members, 'settings', settings, {}),
    pinData: Object.fromEntries(
      Object.entries(part(members, 'pinData', pinData, {})).map(([node, items]) => [
        node,
        part(z.array(z.unknown()), `pinData.${node}`, items, []),
      ]),
    ),
    unread,
  }
}

const unreadText = (message = 'is of another shape') => `${message}, and was left out`

function readNode(raw: Record<string, unknown>, index: number): Node {
  const parsed = Node.safeParse(raw, readable)
  if (parsed.success) return { ...parsed.data, unread: [] }
  const { issues } = parsed.error
  const bad = new Map(issues.map(({ path, message }) => [String(path[0]), message]))
  const rest = Object.fromEntries(Object.entries(raw).filter(([name]) => !bad.has(name)))
  return {
    ...Node.parse({ name: `Node ${index + 1}`, type: 'unknown', ...rest }),
    unread: [...bad].map(([field, message]) => ({
      field,
      message: unreadText(message),
      original: raw[field],
    })),
  }
}

/** Fields without which a node would do something else than in n8n. */
const needed = new Set(['type', 'typeVersion', 'parameters', 'disabled'])

/** Whether the node cannot be translated, because a field that it needs was not read. */
export const isBroken = ({ unread }: Node): boolean => unread.some(({ field }) => needed.has(field))

/** The connections by the names of their nodes, where they name them by id. */
export function connectionsByName(connections: Connections, nodes: readonly Pick<Node, 'id' | 'name'>[]): Connections {
  const names = new Set(nodes.map(({ name }) => name))
  const byId = new Map(
    nodes.flatMap(({ id, name }) => (id === undefined || names.has(id) ? [] : [[id, name] as const])),
  )
  if (byId.size === 0) return connections
  const nameOf = (node: string) => byId.get(node) ?? node
  const named = new Map<string, Connections[string]>()
  for (const [source, kinds] of Object.entries(connections)) {
    const before = named.get(nameOf(source)) ?? {}
    const own = Object.entries(kinds).map(([kind, outputs]) => {
      const earlier = ownValue(before, kind) ?? []
      const lists = Array.from({ length: Math.max(earlier.length, outputs.length) }, (_, index) => [
        ...(earlier[index] ?? []),
        ...(outputs[index] ?? []).map((target) => ({ ...target, node: nameOf(target.node) })),
      ])
      return [kind, lists] as const
    })
    named.set(nameOf(source), { ...before, ...Object.fromEntries(own) })
  }
  return Object.fromEntries(named)
}

function connectionsOf(connections: Record<string, unknown>, unread: Unread[]): Connections {
  const byKind = z.record(z.string(), z.array(z.array(z.unknown()).nullable()))
  const entries = Object.entries(connections).map(([name, value]) => {
    const read = byKind.safeParse(value, readable)
    if (!read.success) unread.push({ field: `connections.${name}`, message: unreadText(), original: value })
    const kinds = Object.entries(read.data ?? {}).map(([kind, outputs]) => [
      kind,
      outputs.map((targets) => targets?.flatMap((target) => targetOf(target, name, unread)) ?? null),
    ])
    return [name, Object.fromEntries(kinds)]
  })
  return Object.fromEntries(entries) as Connections
}

function targetOf(value: unknown, name: string, unread: Unread[]): z.output<typeof Target>[] {
  const read = Target.safeParse(value)
  if (read.success) return [read.data]
  unread.push({ field: `connections.${name}`, message: unreadText('leads nowhere'), original: value })
  return []
}
