import type { Graph } from './graph.ts'
import type { WaitingFor } from './schema.ts'

/** Where a value is found: the output of a run, the current items of a loop, or the input of the execution. */
export type Source = { run: number } | { frame: number } | 'input'

/** A node that has to run, with its input. */
export interface Token {
  id: number
  node: string
  source: Source
  /** For a merge: what arrived, by edge. */
  inputs?: { edge: string; source: Source }[]
  /** The innermost loop around it. */
  frame: number | null
  /** Nodes that may run at the same time as this one, itself included. */
  width: number
  /** Tries that have ended. */
  attempts: number
  /** Tries that a vendor broke off. */
  breaks?: number
  /** Set while it waits. */
  wait?: Omit<WaitingFor, 'token' | 'node_id'> & { data?: unknown }
}

/** A loop that is running. */
export interface Frame {
  id: number
  node: string
  /** The run of the loop node, which ends with the loop. */
  run: number
  parent: number | null
  /** Position of the first item of the current iteration. */
  at: number
  size: number
  total: number
  iteration: number
  /** What comes back is kept. */
  collect: boolean
  /** Done gets the list of what came back alone. */
  only_items?: boolean
  /** Values returned so far. */
  collected: number
  width: number
}

interface Arrival {
  node: string
  frame: number | null
  width: number
  inputs: { edge: string; source: Source }[]
}

/** What an execution still has to do. Stored with each result, as JSON. */
export interface State {
  next_id: number
  next_seq: number
  tokens: Token[]
  frames: Frame[]
  /** Merges at which something has arrived. */
  merges: Arrival[]
  /** A person typed the input of the execution. */
  typed?: boolean
  /** How often the execution was cut since its last node ended. */
  cuts?: number
  /** The result so far: what the last node without an edge to follow has returned. */
  result: Source | null
}

export const emptyState = (): State => ({
  next_id: 1,
  next_seq: 1,
  tokens: [],
  frames: [],
  merges: [],
  result: null,
})

/** Cuts after which each node stores its start, so that one that takes the daemon down is not run again unasked. */
const maxCuts = 3

export const isStalled = ({ cuts = 0 }: State): boolean => cuts >= maxCuts

export function addToken(
  state: State,
  token: Pick<Token, 'node' | 'source' | 'frame' | 'width'> & Pick<Partial<Token>, 'inputs'>,
): Token {
  const added: Token = { ...token, id: state.next_id, attempts: 0 }
  state.next_id += 1
  state.tokens.push(added)
  return added
}

export const frameOf = (state: State, id: number | null): Frame | undefined =>
  id === null ? undefined : state.frames.find((frame) => frame.id === id)

/** The frame and those around it, innermost first. */
function* framesAround(state: State, id: number | null): Generator<Frame> {
  for (let frame = frameOf(state, id); frame; frame = frameOf(state, frame.parent)) yield frame
}

const isWithin = (state: State, id: number | null, outer: number): boolean =>
  framesAround(state, id).some((frame) => frame.id === outer)

/** A value that came back to a loop node. */
export interface Returned {
  frame: Frame
  source: Source
}

/**
 * Continues after a node: a value arrives at each edge of the output. Returns the loops that got a value back. A node
 * without such an edge gives the result of the execution.
 */
export function follow(
  state: State,
  graph: Graph,
  {
    token,
    output,
    source,
    width = token.width,
  }: { token: Pick<Token, 'node' | 'frame' | 'width'>; output: string; source: Source; width?: number },
): Returned[] {
  const edges = graph.edgesOf(token.node, output)
  const returned: Returned[] = []
  if (edges.length === 0) state.result = source
  for (const { id: edge, target } of edges) {
    const loop = framesAround(state, token.frame).find((frame) => frame.node === target)
    if (loop) returned.push({ frame: loop, source })
    else if (graph.nodes.get(target)?.type === 'merge')
      arrive(state, { node: target, frame: token.frame, width, input: { edge, source } })
    else addToken(state, { node: target, source, frame: token.frame, width })
  }
  return returned
}

function arrive(
  state: State,
  {
    node,
    frame,
    width,
    input,
  }: { node: string; frame: number | null; width: number; input: Arrival['inputs'][number] },
): void {
  const merge = state.merges.find((one) => one.node === node && one.frame === frame)
  if (merge) merge.inputs.push(input)
  else state.merges.push({ node, frame, width, inputs: [input] })
}

/**
 * Starts each merge at which nothing more can arrive: no node that still has to run leads to it in this iteration. So a
 * branch that was not taken holds nothing up.
 */
export function releaseMerges(state: State, graph: Graph): void {
  const ready = state.merges.filter((merge) => !mayArrive(state, graph, merge))
  // Merges that wait for each other alone would wait forever.
  const [first] = state.merges
  const isStuck = ready.length === 0 && state.tokens.length === 0 && state.frames.length === 0
  for (const merge of isStuck && first ? [first] : ready) {
    state.merges = state.merges.filter((one) => one !== merge)
    const { node, frame, width, inputs } = merge
    const [latest] = inputs.slice(-1)
    addToken(state, { node, frame, width, inputs, source: latest?.source ?? 'input' })
  }
}

function mayArrive(state: State, graph: Graph, merge: Arrival): boolean {
  const except = frameOf(state, merge.frame)?.node ?? null
  const live = [
    ...state.tokens,
    ...state.merges.filter((one) => one !== merge),
    ...state.frames.map(({ node, parent }) => ({ node, frame: parent })),
  ]
  return live.some(
    ({ node, frame }) =>
      (merge.frame === null || frame === merge.frame || isWithin(state, frame, merge.frame)) &&
      graph.reaches(node, merge.node, except),
  )
}

/** A loop whose iteration has ended: nothing in it is left to run. The innermost first. */
export const endedIteration = (state: State): Frame | undefined =>
  state.frames.find(
    ({ id }) =>
      !state.tokens.some(({ frame }) => isWithin(state, frame, id)) &&
      !state.merges.some(({ frame }) => isWithin(state, frame, id)) &&
      !state.frames.some(({ parent }) => parent === id),
  )
