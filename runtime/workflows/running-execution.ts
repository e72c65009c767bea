import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { storeContent, type Value } from './blob-store.ts'
import type { Drawing } from './drawing.ts'
import {
  dropSignal,
  findRow,
  insertExecution,
  loadSignals,
  type Step,
  type StoredExecution,
  storeStep,
} from './execution-store.ts'
import { Graph, upTo } from './graph.ts'
import type { Lineage } from './items.ts'
import { watchers } from './live.ts'
import { openRuns, type StoredRun } from './node-run-store.ts'
import type { Signal } from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import { maxPending, Pending } from './pending.ts'
import { resumeUrl } from './resume.ts'
import { type Attempt, recover } from './runs.ts'
import type { Definition, WorkflowNode } from './schema.ts'
import type { State, Token } from './state.ts'
import { Values } from './values.ts'

/** The execution was ended or taken over by somebody else. */
export class TakenOver extends Error {
  override name = 'TakenOver'
}

/** A statement of a node's result was refused, because something else was faster. Nothing was stored. */
export class LostRace extends Error {
  override name = 'LostRace'
}

/** What belongs in the same commit as the results of nodes. */
export interface Batch {
  statements?: readonly Statement[]
  events?: readonly EventInput[]
  durable?: boolean
}

/** What the first commit of an execution adds that has begun before it is stored. */
export interface Beginning {
  statements: readonly Statement[]
  /** The unit of work that advances it from then on. */
  unit: Statement
  events: readonly EventInput[]
  /** Called after that commit. */
  stored(): void
}

/** The values to which a statement refers. A run of a loop that a later one has replaced is not stored. */
const referred = (values: ReadonlySet<Value>, statements: readonly Statement[]): Value[] =>
  [...values].filter(({ stored }) => statements.some(({ args }) => args?.includes(stored)))

/**
 * An execution that this process advances: what is left to do, the values that are still needed, and the commits.
 *
 * Results wait in `pending` until the next commit: before a node that is not pure runs, when the execution waits or ends,
 * and when they are many or old. Each commit also stores the state, under the next revision. If another process has
 * committed since, or the execution was ended from outside, the commit changes nothing and throws `TakenOver`. So after a
 * kill, an execution continues exactly where its last commit left it.
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
  /** What nodes run in. */
  readonly nodeContext: Context
  /** By token: how waits have ended whose nodes have not continued yet. */
  signals = new Map<number, Signal>()
  revision: number
  pending: Pending
  /** Null once it is stored. */
  beginning: Beginning | null
  /** Large values to which rows of the next commit may refer. */
  #unstored = new Set<Value>()
  /** Results that are stored one by one after a cut, so that a node that takes the daemon down is found. */
  #careful = 0
  #due: Promise<null> | undefined

  constructor(
    context: Context,
    stored: StoredExecution,
    { name, definition, graph }: Drawing,
    beginning: Beginning | null = null,
  ) {
    this.context = context
    this.beginning = beginning
    this.nodeContext = { ...context, signal: this.abort.signal }
    this.stored = stored
    this.name = name
    this.definition = definition
    this.state = stored.state
    const { until } = this.state
    this.graph = until === undefined ? graph : new Graph({ ...definition, edges: upTo(definition, until).edges })
    this.revision = stored.revision
    this.values = new Values(context, stored, { definition, graph: this.graph })
    this.pending = this.#nothing()
    if (beginning) this.refer(stored.input)
  }

  get id(): string {
    return this.stored.id
  }

  /** Loads values and signals, and commits what follows for the nodes that were cut if the last advance was. */
  async load({ wasCut }: { wasCut: boolean }): Promise<void> {
    if (this.definition.nodes.some(({ type }) => ['approval', 'form', 'wait_for_call'].includes(type)))
      this.values.addresses = {
        approval_url: await resumeUrl(this.context, this.id, 'approval'),
        resume_url: await resumeUrl(this.context, this.id, 'call'),
        form_url: await resumeUrl(this.context, this.id, 'form'),
      }
    // Nothing was stored for it yet.
    if (this.revision === 0 && this.state.next_seq === 1 && !wasCut) return
    await this.values.load(this.context)
    this.signals = await loadSignals(this.context, this.id)
    await this.#checkWaits()
    const waiting = recover(this.state, this.graph, await openRuns(this.context, this.id))
    for (const run of waiting) this.save(run)
    if (wasCut) {
      this.state.cuts = (this.state.cuts ?? 0) + 1
      this.#careful = maxPending.rows
    }
    if (wasCut || waiting.length > 0) await this.commit()
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

  /** Takes the signal of a token. Returns whether there was one. */
  takeSignal({ id }: Token): boolean {
    if (!this.signals.delete(id)) return false
    this.pending.add([dropSignal(this.id, id)])
    return true
  }

  /** The value for a row of the next commit, which stores its content if that is not stored yet. The row follows at once. */
  refer(value: Value): string {
    if (value.content && !this.#unstored.has(value)) {
      this.#unstored.add(value)
      this.pending.weigh(value.size)
    }
    return value.stored
  }

  referInput({ run, token }: Pick<Attempt, 'run' | 'token'>): void {
    if (run.input !== null) this.refer(this.values.of(token.source))
  }

  /** The statements of a commit, behind the contents to which they refer. */
  complete(statements: readonly Statement[]): Statement[] {
    return [...referred(this.#unstored, statements).flatMap(storeContent), ...statements]
  }

  finishRun(run: StoredRun, status: StoredRun['status'], output?: { value: Value; lineage: Lineage }): void {
    delete this.state.cuts
    run.status = status
    run.completed_at = iso(this.context.clock.now())
    if (output) this.values.publish(run, output.value, output.lineage)
  }

  save(run: StoredRun): void {
    const frame = run.frame === null ? undefined : this.state.frames.find(({ id }) => id === run.frame)
    this.pending.save(run, frame ? Math.min(...frame.active.map(({ index }) => index)) : null)
  }

  /** Adds to what is pending, and commits it if it has to be stored now. */
  async store(batch: Batch = {}): Promise<void> {
    const { statements = [], events = [], durable = false } = batch
    this.#careful -= 1
    if (durable || events.length > 0 || this.#careful >= 0) return this.commit(batch)
    this.pending.add(statements)
    if (this.pending.isDue) await this.commit()
  }

  /** Resolves with null when what is pending has to be stored. */
  whenDue(): Promise<null>[] {
    if (this.pending.isEmpty && !this.beginning) return []
    const due = () => null
    this.#due ??= this.context.clock.after(maxPending.milliseconds, this.abort.signal).then(due, due)
    return [this.#due]
  }

  #nothing(): Pending {
    return new Pending(this.id, this.context.clock.now)
  }

  /** Stores what is pending, if anything is. */
  async flush(): Promise<void> {
    if (this.beginning || !this.pending.isEmpty) await this.commit()
  }

  /** The row of the execution after a step, for a commit: the first one inserts it. */
  row(step: Step): Statement {
    if (!this.beginning) return storeStep(this, step)
    return insertExecution({ ...this.stored, revision: this.revision + 1 }, { step })
  }

  /** Stores what is pending, and the batch with it. If that is refused, it stays pending without the batch. */
  async commit({ statements = [], events = [], durable = false }: Batch = {}): Promise<void> {
    const { pending, beginning } = this
    const row = this.row({ status: 'running', state: this.state })
    const first = beginning ? [...beginning.statements, beginning.unit] : []
    const own = [row, ...first, ...pending.statements(), ...statements]
    const contents = referred(this.#unstored, own)
    const earlier = this.#unstored
    this.#unstored = new Set()
    this.revision += 1
    this.pending = this.#nothing()
    this.beginning = null
    this.#due = undefined
    try {
      const isFirst = beginning !== null
      await this.context.commit(
        [...contents.flatMap(storeContent), ...own],
        [...(beginning?.events ?? []), ...events],
        { durable: durable || isFirst },
      )
    } catch (thrown) {
      this.beginning = beginning
      if (!(thrown instanceof GuardFailed)) throw thrown
      this.revision -= 1
      this.pending.restore(pending)
      this.#unstored = this.#unstored.union(earlier)
      throw beginning || (await this.#isOurs()) ? new LostRace() : new TakenOver()
    }
    for (const value of contents) delete value.content
    beginning?.stored()
    for (const announce of pending.announcements) announce()
  }

  async #isOurs(): Promise<boolean> {
    const current = await findRow(this.context, this.id)
    return current?.completed_at === null && current.revision === this.revision
  }

  /** Where runs are read, once they are stored. */
  readonly readRuns = async (): Promise<Context> => {
    await this.flush()
    return this.context
  }

  /** Everything pending, for the commit that ends this unit of work; call `announce` after it. */
  takePending(): { statements: Statement[]; announce(): void } {
    const { pending } = this
    return {
      statements: pending.statements(),
      announce() {
        for (const announce of pending.announcements) announce()
      },
    }
  }

  /** Shows a run to those who watch the execution, once what is pending is stored. */
  announce(run: StoredRun): void {
    if (!watchers(this.context).has(run.execution_id)) return
    const { execution_id, seq, node_id, status, attempt, iteration, started_at, completed_at, error } = run
    const change = { execution_id, seq, node_id, status, attempt, iteration, started_at, completed_at, error }
    const announce = () => watchers(this.context).publish(change)
    if (this.pending.isEmpty) announce()
    else this.pending.announcements.push(announce)
  }
}
