import { valueLoader } from '../blob-store.ts'
import { itemsOf, parsedLineage } from '../items.ts'
import { runsOfNode } from '../node-run-store.ts'
import { findNodeType } from '../nodes/index.ts'
import type { RunningExecution } from '../running-execution.ts'
import type { Attempt } from '../runs.ts'
import type { WorkflowNode } from '../schema.ts'
import { type Round, roundsAround, type Source } from '../state.ts'

/** What expressions and code see of another node. */
export interface NodeData {
  executed: boolean
  /** What it passed on to this node. */
  items: unknown[]
  /** By output, if there are several. */
  outputs?: unknown[][]
  /** By run, if the code asks for one. */
  runs?: unknown[][]
  /** By position of the current items: that of the item they were made from; null if unknown, -1 for several. */
  pairs?: (number | null)[]
  /** Items of other runs: position n behind those of `items`. */
  others?: unknown[]
  context?: { noItemsLeft: boolean; currentRunIndex: number; maxRunIndex: number }
}

interface Wanted {
  /** All texts in the code. */
  names: ReadonlySet<string>
  /** Items that belong to the current ones are asked for. */
  paired: boolean
  /** The items of earlier runs are asked for. */
  earlier: boolean
}

/** The nodes that the texts name, by name. `count` items begin at the position `at`. */
export async function nodesNamed(
  execution: RunningExecution,
  attempt: Attempt,
  { names, paired, earlier, count, at }: Wanted & { count: number; at: number },
): Promise<Record<string, NodeData>> {
  const named: [string, NodeData][] = []
  for (const node of execution.definition.nodes) {
    if (!names.has(node.name)) continue
    const { source, positions, ...data } = dataOf(execution, attempt, node)
    const pairs =
      paired && data.executed
        ? await pairsOf(execution, attempt, { node, data: { ...data, source, positions }, count, at })
        : {}
    const runs = earlier && data.executed ? { runs: await runsOf(execution, node) } : {}
    named.push([node.name, { ...data, ...pairs, ...runs }])
  }
  return Object.fromEntries(named)
}

/** Of a long loop, later runs are not kept. */
const maxRuns = 100

async function runsOf({ context, id, readRuns }: RunningExecution, node: WorkflowNode): Promise<unknown[][]> {
  const runs = await runsOfNode(await readRuns(), id, node.id)
  const isKept = runs.length <= maxRuns && runs.every((run) => parsedLineage(run).routes === undefined)
  if (!isKept) return []
  const load = valueLoader(context, [])
  const outputs: unknown[][] = []
  for (const { output } of runs) outputs.push(itemsOf((await load(output)).value))
  return outputs
}

interface Found extends NodeData {
  /** Where its items are. */
  source?: Source | undefined
  /** Their positions in it; all in order if absent. */
  positions?: readonly number[] | undefined
}

function dataOf({ graph, state, values }: RunningExecution, { token }: Attempt, node: WorkflowNode): Found {
  const round = roundsAround(state, token.iteration).find(({ frame }) => frame.node === node.id && !frame.each)
  if (round) {
    const source = { iteration: round.iteration.id }
    return { executed: true, items: itemsOf(values.of(source).value), context: contextOf(round), source }
  }
  const latest = values.latestRun(node.id)
  if (!latest) return { executed: false, items: [] }
  const { run, lineage } = latest
  const context = node.type === 'loop' ? { context: { noItemsLeft: true, currentRunIndex: 0, maxRunIndex: 0 } } : {}
  const routes = lineage?.routes
  if (!routes) return { executed: true, items: itemsOf(values.of({ run }).value), source: { run }, ...context }
  const part = (output: string) => itemsOf(values.of({ run, output }).value)
  const names = outputNames(node)
  const output = outputTo(graph, node.id, token.node) ?? names[0] ?? 'main'
  const positions = routes[output] ?? []
  return {
    executed: true,
    items: positions.length > 0 ? part(output) : [],
    outputs: names.map((name) => (routes[name] ? part(name) : [])),
    source: { run },
    positions,
  }
}

const contextOf = ({ frame, iteration }: Round) => ({
  noItemsLeft: iteration.at + frame.size >= frame.total,
  currentRunIndex: iteration.index,
  maxRunIndex: Math.ceil(frame.total / frame.size),
})

function outputNames({ type, params }: WorkflowNode): string[] {
  const { outputs = [{ name: 'main' }], outputs_from } = findNodeType(type) ?? {}
  const cases = outputs_from === undefined ? [] : params[outputs_from]
  const own = Array.isArray(cases) ? cases.map((_, index) => `case:${index}`) : []
  // A switch continues at its cases first, and otherwise behind them.
  return outputs_from === 'cases'
    ? [...own, ...outputs.map(({ name }) => name)]
    : [...outputs.map(({ name }) => name), ...own]
}

/** The output at which a node leads to another one. */
function outputTo(graph: RunningExecution['graph'], from: string, to: string): string | undefined {
  const edges = graph.edgesFrom(from)
  const edge = edges.find(({ target }) => target === to) ?? edges.find(({ target }) => graph.reaches(target, to, from))
  return edge?.source_output
}

async function pairsOf(
  { readRuns, values }: RunningExecution,
  { token }: Attempt,
  { node, data, count, at }: { node: WorkflowNode; data: Found; count: number; at: number },
): Promise<Pick<NodeData, 'pairs' | 'others'>> {
  const pairs: (number | null)[] = Array(at).fill(null)
  const others: unknown[] = []
  const own = data.positions && new Map(data.positions.map((position, index) => [position, index]))
  for (let index = 0; index < count; index += 1) {
    const places = await values.origins(readRuns, node.id, { source: token.source, index })
    const [place, ...more] = places
    if (!place) pairs.push(data.items.length === 1 ? 0 : null)
    else if (more.length > 0) pairs.push(-1)
    else if (isSameSource(place.source, data.source)) {
      const position = own ? own.get(place.index) : place.index
      if (position !== undefined) pairs.push(position)
      else pairs.push(data.items.length + others.push(await values.itemAt(readRuns, place)) - 1)
    } else pairs.push(data.items.length + others.push(await values.itemAt(readRuns, place)) - 1)
  }
  return { pairs, others }
}

function isSameSource(left: Source, right: Source | undefined): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return false
  if ('run' in left) return 'run' in right && left.run === right.run
  return 'iteration' in right && left.iteration === right.iteration
}
