import type { WorkflowEdge, WorkflowNode } from '../../../runtime/workflows/schema.ts'

/** The part of a workflow that the canvas shows. */
export interface Flow {
  nodes: readonly WorkflowNode[]
  edges: readonly WorkflowEdge[]
  pin_data: Readonly<Record<string, unknown>>
}

/** What is edited, and what it was before and after. */
export interface History<Draft> {
  draft: Draft
  /** As last saved. */
  saved: Draft
  past: readonly Draft[]
  future: readonly Draft[]
  /** Changes with the same name form one undo step, such as the characters typed into a field. */
  step: string | null
}

export type Position = WorkflowNode['position']

/** Undo steps that are kept. */
const maxSteps = 200

export const historyOf = <Draft>(draft: Draft): History<Draft> => ({
  draft,
  saved: draft,
  past: [],
  future: [],
  step: null,
})

export const isDirty = <Draft>({ draft, saved }: History<Draft>): boolean =>
  draft !== saved && JSON.stringify(draft) !== JSON.stringify(saved)

/** The history after a change that undo takes back. */
export function changed<Draft>(history: History<Draft>, draft: Draft, step: string | null = null) {
  if (draft === history.draft) return history
  const joins = step !== null && step === history.step
  const past = joins ? history.past : [...history.past, history.draft].slice(-maxSteps)
  return { ...history, draft, past, future: [], step }
}

export function undone<Draft>(history: History<Draft>): History<Draft> {
  const draft = history.past.at(-1)
  if (draft === undefined) return history
  const { past, future } = history
  return { ...history, draft, past: past.slice(0, -1), future: [history.draft, ...future], step: null }
}

export function redone<Draft>(history: History<Draft>): History<Draft> {
  const [draft, ...future] = history.future
  if (draft === undefined) return history
  return { ...history, draft, past: [...history.past, history.draft], future, step: null }
}

export const isTrigger = (type: string): boolean => type.startsWith('trigger.')

/** `http`, or `http_2` if that is taken: expressions name nodes by their id. */
export function freeId(flow: Pick<Flow, 'nodes'>, type: string): string {
  const base = type.split('.').at(-1) ?? type
  return free(base, '_', (id) => flow.nodes.some((node) => node.id === id))
}

/** The name, or the name with the next free number. */
export function freeName({ nodes }: Pick<Flow, 'nodes'>, name: string): string {
  const taken = (name: string) => nodes.some((node) => node.name === name)
  return taken(name) ? free(name.replace(/ \d{1,4}$/, ''), ' ', taken) : name
}

function free(base: string, gap: string, taken: (name: string) => boolean): string {
  let name = base
  for (let number = 2; taken(name); number += 1) name = `${base}${gap}${number}`
  return name
}

interface NewNode {
  type: string
  name: string
  params?: Record<string, unknown>
}

/** Width and height of a node with the gap to the next one. */
export const cell = { x: 260, y: 120 }

/** A node as the palette adds it, right of `after` or at `at`. */
export function newNode(flow: Flow, { type, name, params = {} }: NewNode, at: Position): WorkflowNode {
  return {
    id: freeId(flow, type),
    type,
    name: freeName(flow, name),
    position: freePosition(flow, at),
    params,
    disabled: false,
    retry: null,
    timeout_seconds: null,
    on_error: 'stop',
    retry_safe: false,
    input_mode: 'auto',
    concurrency: 1,
    notes: '',
  }
}

/** The position, or the next one below it where no node lies. */
function freePosition({ nodes }: Flow, { x, y }: Position): Position {
  const at = { x: Math.round(x), y: Math.round(y) }
  const covered = () =>
    nodes.some(({ position }) => Math.abs(position.x - at.x) < cell.x - 40 && Math.abs(position.y - at.y) < cell.y - 30)
  while (covered()) at.y += cell.y
  return at
}

/** Where a new node goes: right of the selected one, or else right of everything. */
export function nextPosition({ nodes }: Flow, after: WorkflowNode | undefined): Position {
  if (after) return { x: after.position.x + cell.x, y: after.position.y }
  if (nodes.length === 0) return { x: 0, y: 0 }
  return { x: Math.max(...nodes.map(({ position }) => position.x)) + cell.x, y: nodes[0]?.position.y ?? 0 }
}

export const withNode = <F extends Flow>(flow: F, node: WorkflowNode): F => ({
  ...flow,
  nodes: [...flow.nodes, node],
})

export const withChangedNode = <F extends Flow>(flow: F, id: string, change: Partial<WorkflowNode>): F => ({
  ...flow,
  nodes: flow.nodes.map((node) => (node.id === id ? { ...node, ...change } : node)),
})

export type Link = Pick<WorkflowEdge, 'source' | 'source_output' | 'target'> & {
  target_input?: number
}

/** The flow with one more edge, or the same flow if the edge exists or makes no sense. */
export function connected<F extends Flow>(flow: F, { source, source_output, target, target_input = 0 }: Link): F {
  const to = flow.nodes.find(({ id }) => id === target)
  const exists = flow.edges.some(
    (edge) => edge.source === source && edge.source_output === source_output && edge.target === target,
  )
  if (!to || exists || source === target || isTrigger(to.type)) return flow
  const id = free(`${source}-${source_output}-${target}`, '-', (taken) => flow.edges.some((edge) => edge.id === taken))
  return { ...flow, edges: [...flow.edges, { id, source, source_output, target, target_input }] }
}

/** The flow with one more node between a node and those that lead to it. What is right of it makes room. */
export function withBefore<F extends Flow>(flow: F, { id, position }: WorkflowNode, made: NewNode): F {
  const right = flow.nodes.filter((node) => node.position.x >= position.x).map((node) => node.id)
  const wider = shifted(flow, right, { x: cell.x, y: 0 })
  const node = newNode(wider, made, position)
  const edges = wider.edges.map((edge) => (edge.target === id ? { ...edge, target: node.id } : edge))
  return connected(withNode({ ...wider, edges }, node), { source: node.id, source_output: 'main', target: id })
}

/** The flow without these nodes, their edges and pinned data, and without these edges. */
export function without<F extends Flow>(flow: F, ids: readonly string[]): F {
  const gone = new Set(ids)
  return {
    ...flow,
    nodes: flow.nodes.filter(({ id }) => !gone.has(id)),
    edges: flow.edges.filter(({ id, source, target }) => ![id, source, target].some((of) => gone.has(of))),
    pin_data: Object.fromEntries(Object.entries(flow.pin_data).filter(([id]) => !gone.has(id))),
  }
}

/** The flow with nodes at other positions. */
export const moved = <F extends Flow>(flow: F, positions: ReadonlyMap<string, Position>): F => ({
  ...flow,
  nodes: flow.nodes.map((node) => {
    const { x, y } = positions.get(node.id) ?? node.position
    return { ...node, position: { x: Math.round(x), y: Math.round(y) } }
  }),
})

export function shifted<F extends Flow>(flow: F, ids: readonly string[], by: Position): F {
  const chosen = flow.nodes.filter(({ id }) => ids.includes(id))
  return moved(flow, new Map(chosen.map(({ id, position: { x, y } }) => [id, { x: x + by.x, y: y + by.y }])))
}

/** The flow with pinned output of a node; undefined removes it. */
export function pinned<F extends Flow>(flow: F, id: string, output: unknown): F {
  const { [id]: _, ...others } = flow.pin_data
  return { ...flow, pin_data: output === undefined ? others : { ...others, [id]: output } }
}

/** The chosen nodes and the edges between them, as JSON for the clipboard. */
export function copyOf({ nodes, edges }: Flow, ids: readonly string[]): string {
  const chosen = nodes.filter(({ id }) => ids.includes(id))
  const between = edges.filter(({ source, target }) => ids.includes(source) && ids.includes(target))
  return JSON.stringify({ nodes: chosen, edges: between }, null, 2)
}

interface Pasted<F> {
  flow: F
  /** The new nodes. */
  ids: string[]
}

/** The flow with the nodes of a copied text under new ids, or null if the text holds no nodes. */
export function pasted<F extends Flow>(flow: F, text: string): Pasted<F> | null {
  const copied = readCopy(text)
  if (!copied) return null
  const ids = new Map<string, string>()
  let next = flow
  for (const node of copied.nodes) {
    const made = { ...newNode(next, node, shiftedPosition(node.position)), ...settingsOf(node) }
    ids.set(node.id, made.id)
    next = withNode(next, made)
  }
  const renamed = next.nodes.map((node) =>
    flow.nodes.includes(node) ? node : { ...node, params: withNewIds(node.params, ids) },
  )
  next = { ...next, nodes: renamed }
  for (const { source, target, ...rest } of copied.edges) {
    const link = { ...rest, source: ids.get(source) ?? '', target: ids.get(target) ?? '' }
    if (link.source && link.target) next = connected(next, link)
  }
  return { flow: next, ids: [...ids.values()] }
}

const shiftedPosition = ({ x, y }: Position): Position => ({ x: x + 40, y: y + 40 })

/** The options that the copied text has; one written by hand may lack some. */
const settingsOf = ({ id: _, type: __, name: ___, position: ____, params: _____, ...options }: WorkflowNode) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

const references = /\bnodes\.(\w+)/g

/** Parameters whose expressions name the copies of nodes instead of the originals. */
const withNewIds = (params: Record<string, unknown>, ids: ReadonlyMap<string, string>) =>
  JSON.parse(JSON.stringify(params).replace(references, (_, id: string) => `nodes.${ids.get(id) ?? id}`)) as Record<
    string,
    unknown
  >

function readCopy(text: string): Pick<Flow, 'nodes' | 'edges'> | null {
  try {
    const { nodes, edges = [] } = JSON.parse(text) as Partial<Flow>
    const usable = Array.isArray(nodes) && nodes.length > 0 && nodes.every(isNode) && Array.isArray(edges)
    return usable ? { nodes, edges } : null
  } catch {
    return null
  }
}

const isNode = ({ id, type, name, position }: WorkflowNode): boolean =>
  [id, type, name].every((text) => typeof text === 'string') && Number.isFinite(position?.x + position?.y)

export type Direction = 'left' | 'right' | 'up' | 'down'

/** The nearest node in a direction; distance across it counts double. */
export function neighbour({ nodes }: Flow, id: string, direction: Direction): string | undefined {
  const from = nodes.find((node) => node.id === id)
  if (!from) return nodes[0]?.id
  const sign = direction === 'left' || direction === 'up' ? -1 : 1
  const [along, across] = direction === 'left' || direction === 'right' ? axes : axes.toReversed()
  const distances = nodes
    .map((node) => ({
      id: node.id,
      ahead: sign * (node.position[along ?? 'x'] - from.position[along ?? 'x']),
      aside: Math.abs(node.position[across ?? 'y'] - from.position[across ?? 'y']),
    }))
    .filter(({ ahead }) => ahead > 0)
    .map((node) => ({ id: node.id, distance: node.ahead + 2 * node.aside }))
  return distances.toSorted((left, right) => left.distance - right.distance)[0]?.id
}

const axes = ['x', 'y'] as const

/** The nodes in the order in which they run: triggers first, each node after those that lead to it. */
export function inOrder({ nodes, edges }: Pick<Flow, 'nodes' | 'edges'>): WorkflowNode[] {
  const left = new Set(nodes.map(({ id }) => id))
  const order: WorkflowNode[] = []
  while (left.size > 0) {
    const waiting = nodes.filter(({ id }) => left.has(id))
    const blocked = new Set(edges.filter(({ source }) => left.has(source)).map(({ target }) => target))
    // In a loop every node waits for another one; then the first one on the canvas is next.
    const next = waiting.find(({ id }) => !blocked.has(id)) ?? waiting.toSorted(byPosition)[0]
    if (!next) break
    left.delete(next.id)
    order.push(next)
  }
  return order
}

const byPosition = (one: WorkflowNode, other: WorkflowNode) =>
  one.position.x - other.position.x || one.position.y - other.position.y

/** The nodes that a node can read in an expression: those that lead to it. */
export function before({ edges }: Pick<Flow, 'edges'>, id: string): Set<string> {
  const ids = new Set<string>()
  const open = [id]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const { source, target } of edges)
      if (target === at && !ids.has(source)) {
        ids.add(source)
        open.push(source)
      }
  ids.delete(id)
  return ids
}
