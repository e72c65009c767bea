import type { FormPage } from './form.ts'
import type { Graph } from './graph.ts'
import type { WaitingFor } from './schema.ts'

/**
 * Where a value is found: what a run passed on, or only the items that it passed on at one of its outputs, the items of an
 * iteration, or the input of the execution.
 */
export type Source = { run: number; output?: string } | { iteration: number } | 'input'

/** A node that has to run, with its input. */
export interface Token {
  id: number
  node: string
  source: Source
  /** For a node with several inputs: what arrived, by edge. */
  inputs?: { edge: string; source: Source }[]
  /** The innermost iteration around it; null outside loops. */
  iteration: number | null
  /** Nodes that may run at the same time as this one, itself included. */
  width: number
  /** Tries that have ended. */
  attempts: number
  /** Tries that a vendor broke off. */
  breaks?: number
  /** Set while it waits. */
  wait?: Omit<WaitingFor, 'token' | 'node_id' | 'fields'> & { data?: unknown }
}

/** One round of a loop. */
export interface Iteration {
  id: number
  /** Its number, from 0. */
  index: number
  /** Position of its first item. */
  at: number
  /** Values that it has returned. */
  returned: number
}

/** A loop that is running, or a node that runs for each item of a list. */
export interface Frame {
  id: number
  node: string
  /** The run of the loop node, which ends with the loop. */
  run: number
  /** The iteration of another loop that it is in. */
  parent: number | null
  /** Its input. */
  source: Source
  /** Its items are those of its input. */
  paired: boolean
  /** The node itself runs for each item. */
  each?: boolean
  /** Position of the first item of the next iteration. */
  next: number
  size: number
  total: number
  /** Iterations that have begun. */
  begun: number
  /** Those that have not ended. */
  active: Iteration[]
  /** Iterations at the same time. */
  concurrency: number
  /** Milliseconds before all but the first ones. */
  pause?: number
  /** What comes back is kept. */
  collect: boolean
  /** Done gets the list of what came back alone. */
  only_items?: boolean
  width: number
}

interface Arrival {
  node: string
  iteration: number | null
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
  /** Set if code has changed what the workflow keeps: by `global` and `node:<id>`. */
  static_data?: Record<string, unknown>
  /** What whoever answered its form is shown when no page follows. */
  page?: FormPage
  /** The node after which it ends. */
  until?: string
  /** How often the execution was interrupted since its last node ended. */
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
  token: Pick<Token, 'node' | 'source' | 'iteration' | 'width'> & Pick<Partial<Token>, 'inputs' | 'wait'>,
): Token {
  const added: Token = { ...token, id: state.next_id, attempts: 0 }
  state.next_id += 1
  state.tokens.push(added)
  return added
}

/** Where the input of a node is found; of a node with several inputs each of them, in order. */
export const sourcesOf = ({ source, inputs }: Token, graph: Graph): Source[] =>
  inputs ? graph.inOrder(inputs).map((input) => input.source) : [source]

/** An iteration with its loop. */
export interface Round {
  frame: Frame
  iteration: Iteration
}

export function roundOf(state: State, id: number | null): Round | undefined {
  if (id === null) return undefined
  for (const frame of state.frames) {
    const iteration = frame.active.find((one) => one.id === id)
    if (iteration) return { frame, iteration }
  }
  return undefined
}

/** The iteration and those around it, innermost first. */
export function* roundsAround(state: State, id: number | null): Generator<Round> {
  for (let round = roundOf(state, id); round; round = roundOf(state, round.frame.parent)) yield round
}

const isWithin = (state: State, id: number | null, outer: number): boolean =>
  roundsAround(state, id).some(({ iteration }) => iteration.id === outer)

/** A value that came back to a loop node. */
export interface Returned extends Round {
  source: Source
  /** The output at which the node continued. */
  output: string
}

/** What a node passes on: where it is found, and at which outputs. */
export interface Passed {
  output: string
  source: Source
}

/**
 * Continues after a node: a value arrives at each edge of an output. Returns the loops that got a value back. A node
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
  }: Passed & { token: Pick<Token, 'node' | 'iteration' | 'width'>; width?: number },
): Returned[] {
  const own = roundOf(state, token.iteration)
  if (own?.frame.each && own.frame.node === token.node) return [{ ...own, source, output }]
  const edges = graph.edgesOf(token.node, output)
  const returned: Returned[] = []
  if (edges.length === 0) state.result = source
  const { iteration } = token
  for (const { id: edge, target } of edges) {
    const loop = roundsAround(state, iteration).find(({ frame }) => frame.node === target)
    if (loop) returned.push({ ...loop, source, output })
    else if (graph.joins(target)) arrive(state, { node: target, iteration, width, input: { edge, source } })
    else addToken(state, { node: target, source, iteration, width })
  }
  return returned
}

function arrive(
  state: State,
  {
    node,
    iteration,
    width,
    input,
  }: { node: string; iteration: number | null; width: number; input: Arrival['inputs'][number] },
): void {
  const merge = state.merges.find((one) => one.node === node && one.iteration === iteration)
  if (merge) merge.inputs.push(input)
  else state.merges.push({ node, iteration, width, inputs: [input] })
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
    const { node, iteration, width, inputs } = merge
    const [latest] = inputs.slice(-1)
    addToken(state, { node, iteration, width, inputs, source: latest?.source ?? 'input' })
  }
}

function mayArrive(state: State, graph: Graph, merge: Arrival): boolean {
  const except = roundOf(state, merge.iteration)?.frame.node ?? null
  const live = [
    ...state.tokens,
    ...state.merges.filter((one) => one !== merge),
    ...state.frames.map(({ node, parent }) => ({ node, iteration: parent })),
  ]
  return live.some(
    ({ node, iteration }) =>
      (merge.iteration === null || iteration === merge.iteration || isWithin(state, iteration, merge.iteration)) &&
      graph.reaches(node, merge.node, except),
  )
}

/** Removes the iterations in which nothing is left to run. */
export function dropEndedIterations(state: State): void {
  for (let isDropped = true; isDropped; ) {
    isDropped = false
    for (const frame of state.frames) {
      const left = frame.active.filter((iteration) => isAlive(state, iteration))
      isDropped ||= left.length < frame.active.length
      frame.active = left
    }
  }
}

const isAlive = (state: State, { id }: Iteration): boolean =>
  state.tokens.some(({ iteration }) => isWithin(state, iteration, id)) ||
  state.merges.some(({ iteration }) => isWithin(state, iteration, id)) ||
  state.frames.some(({ parent }) => parent === id)

/** A loop that may begin another iteration. The innermost first. */
export const nextLoop = (state: State): Frame | undefined =>
  state.frames.find(({ active, concurrency, next, total }) => active.length < concurrency && next < total)

/** A loop of which nothing is left to run. The innermost first. */
export const endedLoop = (state: State): Frame | undefined =>
  state.frames.find(({ active, next, total }) => active.length === 0 && next >= total)

/** Begins the next iteration of a loop. */
export function beginIteration(state: State, frame: Frame): Iteration {
  const iteration = { id: state.next_id, index: frame.begun, at: frame.next, returned: 0 }
  state.next_id += 1
  frame.begun += 1
  frame.next += frame.size
  frame.active.push(iteration)
  return iteration
}
