import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { dropSignal, findExecution, loadSignals, type StoredExecution, storeStep } from './execution-store.ts'
import { Graph } from './graph.ts'
import type { Lineage } from './items.ts'
import { watchers } from './live.ts'
import { openRuns, type StoredRun } from './node-run-store.ts'
import type { Signal } from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import { recover } from './runs.ts'
import type { Definition, WorkflowNode } from './schema.ts'
import type { State, Token } from './state.ts'
import { type Value, Values } from './values.ts'

/** The execution was ended or taken over by somebody else. */
export class TakenOver extends Error {
  override name = 'TakenOver'
}

/** A statement of a node's result was refused, because something else was faster. Nothing was stored. */
export class LostRace extends Error {
  override name = 'LostRace'
}

export interface Batch {
  statements: Statement[]
  events?: EventInput[]
  durable?: boolean
}

/**
 * An execution that this process advances: what is left to do, the values that are still needed, and the commits.
 *
 * Each commit also stores the state, under the next revision. If another process has committed since, or the execution
 * was ended from outside, the commit changes nothing and throws `TakenOver`. So after a kill, an execution continues
 * exactly where its last commit left it.
 */
export class RunningExecution {
  readonly context: Context
  readonly stored: StoredExecution
  readonly name: string
  readonly definition: Definition
  readonly graph: Graph
  readonly state: State
  readonly values: Values
  /** Aborts the nodes that are running. */
  readonly abort = new AbortController()
  /** By token: how waits have ended whose nodes have not continued yet. */
  signals = new Map<number, Signal>()
  revision: number

  constructor(
    context: Context,
    stored: StoredExecution,
    { name, definition }: { name: string; definition: Definition },
  ) {
    this.context = context
    this.stored = stored
    this.name = name
    this.definition = definition
    this.graph = new Graph(definition)
    this.state = stored.state
    this.revision = stored.revision
    this.values = new Values(stored, definition, this.graph)
  }

  get id(): string {
    return this.stored.id
  }

  /** Loads values and signals, and commits what follows for the nodes that were cut if the last advance was. */
  async load({ wasCut }: { wasCut: boolean }): Promise<void> {
    await this.values.load(this.context)
    this.signals = await loadSignals(this.context, this.id)
    await this.#checkWaits()
    const statements = recover(this.state, this.graph, await openRuns(this.context, this.id))
    if (wasCut) this.state.cuts = (this.state.cuts ?? 0) + 1
    if (wasCut || statements.length > 0) await this.commit({ statements })
  }

  /** Continues nodes whose agent, sub-workflow or project has ended. */
  async #checkWaits(): Promise<void> {
    for (const token of this.state.tokens) {
      const type = token.wait && findNodeType(this.nodeOf(token).type)
      if (!token.wait || !type?.ready || this.signals.has(token.id)) continue
      const value = await type.ready(token.wait, this.context)
      if (value !== undefined) this.signals.set(token.id, { type: 'wake', value })
    }
  }

  nodeOf(token: Pick<Token, 'node'>): WorkflowNode {
    const node = this.graph.nodes.get(token.node)
    if (!node) throw new Error(`The workflow has no node ${token.node}`)
    return node
  }

  removeToken({ id }: Token): void {
    this.state.tokens = this.state.tokens.filter((one) => one.id !== id)
  }

  /** Takes the signal of a token. Returns the statement that deletes it. */
  takeSignal({ id }: Token): Statement[] {
    return this.signals.delete(id) ? [dropSignal(this.id, id)] : []
  }

  finishRun(run: StoredRun, status: StoredRun['status'], output?: { value: Value; lineage: Lineage }): void {
    delete this.state.cuts
    run.status = status
    run.completed_at = iso(this.context.clock.now())
    if (output) this.values.publish(run, output.value, output.lineage)
  }

  async commit({ statements, events = [], durable = false }: Batch): Promise<void> {
    const step = storeStep(this, { status: 'running', state: this.state })
    this.revision += 1
    try {
      await this.context.commit([step, ...statements], events, { durable })
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed)) throw thrown
      this.revision -= 1
      const current = await findExecution(this.context, this.id)
      const isOurs = current?.completed_at === null && current.revision === this.revision
      throw isOurs ? new LostRace() : new TakenOver()
    }
  }

  /** Shows a run to those who watch the execution. */
  announce(run: StoredRun): void {
    const { execution_id, seq, node_id, status, attempt, iteration, started_at, completed_at, error } = run
    watchers(this.context).publish(execution_id, () => ({
      ...{ execution_id, seq, node_id, status, attempt, iteration, started_at, completed_at, error },
    }))
  }
}
