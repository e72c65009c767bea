import { iso, second } from '../time.ts'
import type { Ended } from './attempt.ts'
import { valueFrom } from './blob-store.ts'
import { itemsOf, type Parents, storedLineage } from './items.ts'
import { dropLoop, findRuns, type LoopResult, loadResults, saveItems, sizeOfResults } from './node-run-store.ts'
import type { NodeResult } from './node-type.ts'
import { exitOf } from './reach.ts'
import { routed } from './routes.ts'
import type { Batch, RunningExecution } from './running-execution.ts'
import type { RunError } from './schema.ts'
import {
  addToken,
  beginIteration,
  dropEndedIterations,
  endedLoop,
  type Frame,
  follow,
  nextLoop,
  type Passed,
  type Returned,
  releaseMerges,
  type Token,
} from './state.ts'
import { maxOutput } from './values.ts'

/** A loop whose result cannot be stored. */
export class LoopFailed extends Error {
  override name = 'LoopFailed'
  readonly error: RunError

  constructor(error: RunError) {
    super(error.message)
    this.error = error
  }
}

/** Replaces the token of a loop node, or of a node that runs for each item, by a frame. `settle` starts the first iteration. */
export async function enterLoop(
  execution: RunningExecution,
  { token, node, run }: Ended,
  { loop, durable }: { loop: Extract<NodeResult, { loop: unknown }>['loop']; durable: boolean },
): Promise<void> {
  const { items, batch_size, ...rest } = loop
  const { state } = execution
  const list = execution.values.storable(items, [token.source])
  const id = state.next_id
  state.next_id += 1
  execution.values.setItems(id, list.value as unknown[])
  const frame: Frame = {
    id,
    node: token.node,
    run: run.seq,
    parent: token.iteration,
    source: token.source,
    paired: items === execution.values.of(token.source).value,
    next: 0,
    size: batch_size,
    total: items.length,
    begun: 0,
    active: [],
    concurrency: node.concurrency,
    ...(node.pause_seconds ? { pause: node.pause_seconds * second } : {}),
    ...rest,
    width: token.width,
  }
  execution.removeToken(token)
  state.frames.unshift(frame)
  execution.save(run)
  await settle(execution, { statements: [saveItems(execution.id, id, execution.refer(list))], durable })
}

/**
 * Stores the batch with the results, after starting the merges and iterations that are due. Before a loop ends there is a
 * commit, because its result is read from what was stored.
 */
export async function settle(execution: RunningExecution, batch: Batch = {}): Promise<void> {
  const { state, graph } = execution
  let own = batch
  for (;;) {
    releaseMerges(state, graph)
    dropEndedIterations(state)
    const next = nextLoop(state)
    if (next) {
      nextIteration(execution, next)
      continue
    }
    const ended = endedLoop(state)
    if (!ended) return execution.store(own)
    await execution.commit(own)
    own = {}
    await leaveLoop(execution, ended)
  }
}

function nextIteration({ context, state, graph }: RunningExecution, frame: Frame): void {
  const { id, index } = beginIteration(state, frame)
  const { node, each, pause = 0 } = frame
  const targets = each ? [node] : graph.edgesOf(node, 'loop').flatMap(({ target }) => (target === node ? [] : [target]))
  // Without a body there is nothing to do for the other items.
  if (targets.length === 0) frame.next = frame.total
  const width = Math.max(frame.width, frame.concurrency)
  const paused = pause > 0 && index >= frame.concurrency ? { wait: pauseUntil(context.clock.now() + pause) } : {}
  for (const target of targets)
    addToken(state, { node: target, source: { iteration: id }, iteration: id, width, ...paused })
}

const pauseUntil = (due: number): NonNullable<Token['wait']> => ({
  kind: 'retry',
  message: 'A pause between items',
  options: [],
  ref: null,
  until: iso(due),
})

/** Ends the run of a loop node and continues at `done`, or at the outputs to which its items went. */
async function leaveLoop(execution: RunningExecution, frame: Frame): Promise<void> {
  const { id, context, state, values } = execution
  const size = frame.collect ? await sizeOfResults(context, id, frame.id) : 0
  if (size > maxOutput) {
    const advice = frame.each ? 'give it fewer items' : 'turn off collect'
    const message = `The collected outputs have ${size} bytes as JSON, and the limit is ${maxOutput}; ${advice}`
    throw new LoopFailed({ node_id: frame.node, code: 'too_large', message })
  }
  const results = frame.collect ? await loadResults(context, id, frame.id) : []
  const [run] = await findRuns(context, id, [frame.run])
  if (!run) throw new Error(`The run ${frame.run} of a loop is missing`)
  state.frames = state.frames.filter((one) => one !== frame)
  values.dropItems(frame.id)
  const { json, parents, outputs } = outputOf(frame, results, exitOf(execution.graph, execution.nodeOf(frame)))
  const { routes, passed } = routed(run.seq, outputs)
  const lineage = {
    node_id: frame.node,
    from: [frame.source],
    parents: frame.paired ? parents : null,
    routes,
  }
  const value = valueFrom(context, json)
  run.output = execution.refer(value)
  run.output_name = passed.length === 1 ? (passed[0]?.output ?? null) : null
  run.items = storedLineage(lineage)
  execution.finishRun(run, 'succeeded', { value, lineage })
  const { node, parent, source, width } = frame
  const token: Token = { id: run.token, node, source, iteration: parent, width, attempts: 0 }
  execution.save(run)
  execution.pending.add(dropLoop(id, frame.id))
  continueAfter(execution, token, { passed })
  execution.announce(run)
}

interface LoopOutput {
  json: string
  parents: Parents
  /** The positions of the items, by output. */
  outputs: Map<string, number[]>
}

/**
 * The output of a loop: its count and the results, or only the joined list. Of a node that runs for each item: the items
 * that came back, in order. A list that came back for an item is joined.
 */
function outputOf(frame: Frame, results: readonly LoopResult[], exit: string): LoopOutput {
  const { collect, only_items, each, total } = frame
  if (!each && !only_items) {
    const items = collect ? `,"items":[${results.map(({ value }) => value).join(',')}]` : ''
    return { json: `{"count":${total}${items}}`, parents: null, outputs: new Map([['done', []]]) }
  }
  const items: unknown[] = []
  const parents: (number[] | null)[] = []
  const outputs = new Map<string, number[]>()
  for (const result of results) {
    const returned = itemsOf(JSON.parse(result.value) as unknown)
    const origins = JSON.parse(result.parents) as (number[] | null)[]
    for (const [index, item] of returned.entries()) {
      const output = each ? result.output : 'done'
      const route = outputs.get(output)
      if (route) route.push(items.length)
      else outputs.set(output, [items.length])
      items.push(item)
      parents.push(origins[index] ?? null)
    }
  }
  if (items.length === 0) outputs.set(each ? exit : 'done', [])
  return { json: JSON.stringify(items), parents, outputs }
}

/** Removes the token, starts what follows, and keeps the values that went back to a loop. */
export function continueAfter(
  execution: RunningExecution,
  token: Token,
  { passed, width = token.width }: { passed: readonly Passed[]; width?: number | undefined },
): void {
  const { state, graph } = execution
  execution.removeToken(token)
  for (const { output, source } of passed)
    for (const returned of follow(state, graph, { token, output, source, width })) keepResult(execution, returned)
}

/** Iterations whose results are in order may return this many values each. */
const maxReturned = 1_000_000

function keepResult(execution: RunningExecution, { frame, iteration, source, output }: Returned): void {
  if (!frame.collect) return
  const { pending, values } = execution
  const value = values.of(source)
  const parents = itemsOf(value.value).map((_, index) => values.originsIn({ frame, iteration }, { source, index }))
  const position = iteration.index * maxReturned + iteration.returned
  iteration.returned += 1
  pending.addResult(frame.id, { position, value: execution.refer(value), output, parents: JSON.stringify(parents) })
}
