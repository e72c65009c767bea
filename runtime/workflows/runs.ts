import type { Value } from './blob-store.ts'
import type { Graph } from './graph.ts'
import type { StoredRun } from './node-run-store.ts'
import type { WorkflowNode } from './schema.ts'
import { isStalled, roundOf, type State, type Token } from './state.ts'

/** One run of a node. */
export interface Attempt {
  token: Token
  node: WorkflowNode
  run: StoredRun
  /** Another attempt could repeat an effect. */
  effect: boolean
  /** What code has changed of the data that the workflow keeps; stored with the result. */
  static_data?: Record<string, unknown>
}

/** Characters up to which a node's input is stored with its run. */
const maxStoredInput = 64 * 1024

/** What a waiting token keeps of its run, and the data of its type. */
export interface Kept {
  seq?: number
  started_at?: string
  data?: unknown
}

/** The row of a run that begins now or continues after a wait. */
export function newRun(
  state: State,
  token: Token,
  { execution_id, input, now }: { execution_id: string; input: Value; now: string },
): StoredRun {
  const { seq: earlierSeq, started_at } = (token.wait?.data ?? {}) as Kept
  if (earlierSeq === undefined) state.next_seq += 1
  const from = typeof token.source === 'object' && 'run' in token.source ? token.source.run : null
  const isLarge = input.size > maxStoredInput && from !== null
  const round = roundOf(state, token.iteration)
  return {
    execution_id,
    seq: earlierSeq ?? state.next_seq - 1,
    node_id: token.node,
    token: token.id,
    frame: round?.frame.id ?? null,
    iteration: round?.iteration.index ?? null,
    status: 'running',
    attempt: token.attempts + 1,
    started_at: started_at ?? now,
    completed_at: null,
    input: isLarge ? null : input.stored,
    input_from: from,
    output: null,
    output_name: null,
    items: null,
    one_item: Number(round?.frame.each === true && round.frame.node === token.node),
    error: null,
    pinned: 0,
    logs: null,
  }
}

/**
 * Nodes that were interrupted and may have had their effect, or that may take the daemon down, wait for a person; all
 * others simply run again. Returns the runs that wait.
 */
export function recover(state: State, graph: Graph, open: readonly StoredRun[]): StoredRun[] {
  const byToken = new Map(open.map((run) => [run.token, run]))
  return state.tokens.flatMap((token) => {
    const run = byToken.get(token.id)
    const node = graph.nodes.get(token.node)
    if (!run || !node || token.wait || (node.retry_safe && !isStalled(state))) return []
    askToRepeat(token, run, `The daemon stopped while "${node.name}" was running.`)
    return [run]
  })
}

/** Makes a node whose outcome is unknown wait for a person. */
export function askToRepeat(token: Token, run: StoredRun, reason: string): void {
  token.wait = {
    kind: 'repeat',
    message: `${reason} It may or may not have taken effect.`,
    options: ['Run again', 'Skip', 'Fail'],
    until: null,
    ref: null,
    data: { seq: run.seq, started_at: run.started_at },
  }
  run.status = 'waiting'
}
