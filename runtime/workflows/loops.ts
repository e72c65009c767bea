import type { Statement } from '../ports/sql.ts'
import type { Ended } from './attempt.ts'
import {
  addResult,
  dropIterations,
  dropLoop,
  findRuns,
  loadResults,
  type StoredRun,
  saveItems,
  saveRun,
  sizeOfResults,
} from './node-run-store.ts'
import type { NodeResult } from './node-type.ts'
import { maxOutput, storable } from './output.ts'
import type { Batch, RunningExecution } from './running-execution.ts'
import type { RunError } from './schema.ts'
import {
  addToken,
  endedIteration,
  type Frame,
  follow,
  releaseMerges,
  type Source,
  type Token,
} from './state.ts'
import { loopOutput, parsedValue } from './values.ts'

/** Iterations of a loop whose runs are all kept; of later ones only the latest is. */
const keptIterations = 100

/** A loop whose result cannot be stored. */
export class LoopFailed extends Error {
  override name = 'LoopFailed'
  readonly error: RunError

  constructor(error: RunError) {
    super(error.message)
    this.error = error
  }
}

/** Replaces the token of a loop node by a frame. `settle` starts the first iteration. */
export async function enterLoop(
  execution: RunningExecution,
  { token, run }: Ended,
  { loop, statements }: { loop: Extract<NodeResult, { loop: unknown }>['loop']; statements: Statement[] },
): Promise<void> {
  const { items, batch_size, collect, only_items } = loop
  const { state } = execution
  const { json, value } = storable(items)
  const id = state.next_id
  state.next_id += 1
  execution.values.setItems(id, value as unknown[])
  const frame: Frame = {
    id,
    node: token.node,
    run: run.seq,
    parent: token.frame,
    at: -batch_size,
    size: batch_size,
    total: items.length,
    iteration: -1,
    collect,
    only_items,
    collected: 0,
    width: token.width,
  }
  execution.removeToken(token)
  state.frames.unshift(frame)
  await settle(execution, {
    statements: [...statements, saveRun(run), saveItems(execution.id, id, json)],
  })
}

/**
 * Commits the statements with the state, after starting the merges and iterations that are due. A loop that has ended is a
 * commit of its own, because its result is read from what was stored.
 */
export async function settle(execution: RunningExecution, batch: Batch): Promise<void> {
  const { state, graph } = execution
  let { statements, events = [], durable = false } = batch
  releaseMerges(state, graph)
  for (let frame = endedIteration(state); frame; frame = endedIteration(state)) {
    if (frame.at + frame.size < frame.total) nextIteration(execution, frame)
    else {
      if (statements.length > 0) await execution.commit({ statements, events, durable })
      statements = await leaveLoop(execution, frame)
      events = []
      durable = false
    }
    releaseMerges(state, graph)
  }
  if (statements.length > 0) await execution.commit({ statements, events, durable })
}

function nextIteration({ state, graph }: RunningExecution, frame: Frame): void {
  frame.at += frame.size
  frame.iteration += 1
  const edges = graph.edgesOf(frame.node, 'loop').filter(({ target }) => target !== frame.node)
  // Without a body there is nothing to do for the other items.
  if (edges.length === 0) frame.at = frame.total
  for (const { target } of edges)
    addToken(state, { node: target, source: { frame: frame.id }, frame: frame.id, width: frame.width })
}

/** Ends the run of a loop node and continues at `done`. Returns the statements to commit. */
async function leaveLoop(execution: RunningExecution, frame: Frame): Promise<Statement[]> {
  const { id, context, state, values } = execution
  const size = frame.collect ? await sizeOfResults(context, id, frame.id) : 0
  if (size > maxOutput) {
    const message = `The collected outputs have ${size} characters as JSON, and the limit is ${maxOutput}; turn off collect`
    throw new LoopFailed({ node_id: frame.node, code: 'too_large', message })
  }
  const results = frame.collect ? await loadResults(context, id, frame.id) : []
  const json = loopOutput(frame, results)
  const [run] = await findRuns(context, id, [frame.run])
  if (!run) throw new Error(`The run ${frame.run} of a loop is missing`)
  state.frames = state.frames.filter((one) => one !== frame)
  values.dropItems(frame.id)
  run.output = json
  run.output_name = 'done'
  execution.finishRun(run, 'succeeded', parsedValue(json))
  const source = { run: run.seq }
  const { node, parent, width } = frame
  const token: Token = { id: run.token, node, source, frame: parent, width, attempts: 0 }
  const back = continueAfter(execution, token, { output: 'done', source })
  execution.announce(run)
  return [saveRun(run), ...dropLoop(id, frame.id), ...dropOldRuns(run), ...back]
}

/** Removes the token and starts what follows. Returns the statements for values that went back to a loop. */
export function continueAfter(
  { id, state, graph, values }: RunningExecution,
  token: Token,
  { output, source, width }: { output: string; source: Source; width?: number | undefined },
): Statement[] {
  state.tokens = state.tokens.filter((one) => one.id !== token.id)
  const returned = follow(state, graph, { token, output, source, width: width ?? token.width })
  return returned.flatMap(({ frame, source: value }) => {
    if (!frame.collect) return []
    const position = frame.collected
    frame.collected += 1
    return [addResult(id, frame.id, { position, value: values.of(value).json })]
  })
}

/** Limits the runs that a long loop keeps. */
export const dropOldRuns = (run: StoredRun): Statement[] =>
  run.iteration !== null && run.iteration > keptIterations ? [dropIterations(run, keptIterations)] : []
