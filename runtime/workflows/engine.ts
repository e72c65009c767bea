import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso, second } from '../time.ts'
import { unlessAborted, within } from '../within.ts'
import type { WorkOutcome } from '../work/kind.ts'
import { insertWork } from '../work/store.ts'
import { abortWhenNeeded } from './abort.ts'
import { ending, runEvent } from './ending.ts'
import { dropSignal, loadSignals, type StoredExecution, storeStep } from './execution-store.ts'
import { evaluator } from './expressions.ts'
import { Graph } from './graph.ts'
import { stepKind } from './kinds.ts'
import { watchers } from './live.ts'
import {
  addResult,
  dropIterations,
  dropLoop,
  findRuns,
  loadResults,
  openRuns,
  type StoredRun,
  saveItems,
  saveRun,
  sizeOfResults,
} from './node-run-store.ts'
import {
  NodeError,
  type NodeResult,
  type NodeScope,
  type NodeType,
  type Signal,
  toRunError,
} from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import { maxOutput, storable } from './output.ts'
import { approvedParams, paramsOf } from './params.ts'
import { type Kept, newRun, recover } from './runs.ts'
import type { Definition, RunError, WorkflowNode } from './schema.ts'
import { promoteWork } from './start.ts'
import {
  addToken,
  endedIteration,
  type Frame,
  follow,
  releaseMerges,
  type Source,
  type State,
  type Token,
} from './state.ts'
import { loopOutput, parsedValue, type Value, Values } from './values.ts'

/** Iterations of a loop whose runs are all kept; of later ones only the latest is. */
const keptIterations = 100

interface Attempt {
  token: Token
  node: WorkflowNode
  run: StoredRun
  /** Another attempt could repeat an effect. */
  effect: boolean
}

type Ended = Attempt & ({ result: NodeResult } | { error: unknown })

/** The execution was ended or taken over by somebody else. */
class TakenOver extends Error {
  override name = 'TakenOver'
}

/** A loop whose result cannot be stored. */
class LoopFailed extends Error {
  override name = 'LoopFailed'
  readonly error: RunError

  constructor(error: RunError) {
    super(error.message)
    this.error = error
  }
}

interface Batch {
  statements: Statement[]
  events?: EventInput[]
  durable?: boolean
}

/** Advances one execution until it has ended or waits. Everything that it has done is stored before it goes on. */
export class Engine {
  readonly #context: Context
  readonly #execution: StoredExecution
  readonly #name: string
  readonly #definition: Definition
  readonly #graph: Graph
  readonly #state: State
  readonly #running = new Map<number, Promise<Ended>>()
  readonly #abort = new AbortController()
  readonly #values: Values
  #signals = new Map<number, Signal>()
  #revision: number

  constructor(
    context: Context,
    execution: StoredExecution,
    { name, definition }: { name: string; definition: Definition },
  ) {
    this.#context = context
    this.#execution = execution
    this.#name = name
    this.#definition = definition
    this.#graph = new Graph(definition)
    this.#state = execution.state
    this.#revision = execution.revision
    this.#values = new Values(execution, definition, this.#graph)
  }

  async run(): Promise<WorkOutcome> {
    const stop = abortWhenNeeded(this.#context, this.#abort, this.#execution.deadline_at)
    try {
      await this.#settle({ statements: await this.#load() })
      for (;;) {
        this.#startAll()
        if (this.#running.size === 0) return await this.#pause()
        const ended = await Promise.race(this.#running.values())
        this.#running.delete(ended.token.id)
        const failure = await this.#complete(ended)
        if (failure) return this.#end('failed', { error: failure })
        if (this.#isLate()) return this.#end('timed_out', { error: this.#lateError() })
        if (this.#context.signal.aborted && this.#running.size === 0) throw this.#context.signal.reason
      }
    } catch (thrown) {
      if (thrown instanceof TakenOver) return { status: 'succeeded' }
      if (thrown instanceof LoopFailed) return this.#end('failed', { error: thrown.error })
      if (this.#isLate() && this.#abort.signal.aborted && !this.#context.signal.aborted)
        return this.#end('timed_out', { error: this.#lateError() })
      throw thrown
    } finally {
      stop()
      this.#abort.abort(new Error('The execution has stopped'))
    }
  }

  // Loading

  async #load(): Promise<Statement[]> {
    await this.#values.load(this.#context)
    this.#signals = await loadSignals(this.#context, this.#execution.id)
    await this.#checkWaits()
    return recover(this.#state, this.#graph, await openRuns(this.#context, this.#execution.id))
  }

  /** Continues nodes whose agent, sub-workflow or project has ended. */
  async #checkWaits(): Promise<void> {
    for (const token of this.#state.tokens) {
      const type = token.wait && findNodeType(this.#nodeOf(token).type)
      if (!token.wait || !type?.ready || this.#signals.has(token.id)) continue
      const value = await type.ready(token.wait, this.#context)
      if (value !== undefined) this.#signals.set(token.id, { type: 'wake', value })
    }
  }

  #nodeOf(token: Pick<Token, 'node'>): WorkflowNode {
    const node = this.#graph.nodes.get(token.node)
    if (!node) throw new Error(`The workflow has no node ${token.node}`)
    return node
  }

  // Running

  #startAll(): void {
    if (this.#context.signal.aborted) return
    for (const token of this.#state.tokens) {
      if (this.#running.has(token.id) || this.#running.size >= token.width || !this.#canRun(token)) continue
      this.#running.set(token.id, this.#attempt(token))
    }
  }

  #canRun({ id, wait }: Token): boolean {
    if (!wait || this.#signals.has(id)) return true
    return wait.until !== null && Date.parse(wait.until) <= this.#context.clock.now()
  }

  async #attempt(token: Token): Promise<Ended> {
    const node = this.#nodeOf(token)
    const attempt: Attempt = { token, node, run: this.#newRun(token), effect: false }
    try {
      return { ...attempt, ...(await this.#call(attempt)), effect: attempt.effect }
    } catch (error) {
      if (error instanceof TakenOver || error instanceof GuardFailed) throw error
      return { ...attempt, error, effect: attempt.effect }
    }
  }

  #newRun(token: Token): StoredRun {
    const now = iso(this.#context.clock.now())
    return newRun(this.#state, token, {
      execution_id: this.#execution.id,
      input: this.#values.of(token.source),
      now,
    })
  }

  async #call(attempt: Attempt): Promise<{ result: NodeResult } | { error: unknown }> {
    const { token, node, run } = attempt
    const input = this.#values.of(token.source).value
    const type = findNodeType(node.type)
    if (node.disabled || type?.outputs?.length === 0) return { result: { output: input } }
    if (this.#execution.use_pin_data && Object.hasOwn(this.#definition.pin_data, node.id)) {
      run.pinned = 1
      return { result: { output: this.#definition.pin_data[node.id] } }
    }
    if (!type) throw new NodeError('unknown_type', `There is no node type ${node.type}`, { permanent: true })
    if (type.unavailable) throw new NodeError('unavailable', type.unavailable, { permanent: true })
    const milliseconds = (node.timeout_seconds ?? 86_400) * second
    const late = new NodeError('timeout', `It took longer than ${node.timeout_seconds} s`)
    const context = { ...this.#context, signal: this.#abort.signal }
    const result = await within(context, { milliseconds, late }, async (signal) => {
      const scope = this.#scope({ ...context, signal }, token, node)
      return unlessAborted(this.#perform(attempt, type, scope), signal)
    })
    return { result }
  }

  #scope(context: Context, token: Token, node: WorkflowNode): NodeScope {
    const data = this.#values.data(token, context.clock.now())
    const { id, workflow_id } = this.#execution
    return {
      context,
      node,
      definition: this.#definition,
      execution: { id, workflow_id, name: this.#name },
      input: data.input,
      inputs: (token.inputs ?? []).map(({ edge, source }) => ({
        edge,
        value: this.#values.of(source).value,
      })),
      token: token.id,
      evaluate: evaluator(data),
    }
  }

  /** Runs or continues the node. Before it has an effect, its start is stored. */
  async #perform(attempt: Attempt, type: NodeType, scope: NodeScope): Promise<NodeResult> {
    const { token, run } = attempt
    const { wait } = token
    const signal = this.#signals.get(token.id)
    if (wait?.kind === 'repeat') {
      if (signal?.type === 'answer' && signal.choice === 'Skip') return { output: scope.input }
      if (signal?.type === 'answer' && signal.choice === 'Fail')
        throw new NodeError('interrupted', 'It was interrupted, and a person decided not to repeat it', {
          permanent: true,
        })
    }
    let params = await paramsOf(type, scope)
    const isAnswered = wait !== undefined && wait.kind !== 'retry' && wait.kind !== 'repeat'
    if (isAnswered && type.resume) {
      const own = { ...wait, data: (wait.data as Kept).data }
      return type.resume(params, scope, own, signal ?? { type: 'due' })
    }
    if (isAnswered) params = approvedParams(type, wait, signal)
    else if (type.gate) {
      const gated = await type.gate(params, scope)
      if ('wait' in gated) return gated
      params = gated.params
    }
    scope.context.signal.throwIfAborted()
    attempt.effect = (await type.effect?.(params, scope.context)) ?? type.side_effects === true
    if (attempt.effect) {
      // If it is interrupted again, a person is asked again.
      delete token.wait
      const answered = this.#signals.delete(token.id) ? [dropSignal(this.#execution.id, token.id)] : []
      await this.#commit({ statements: [saveRun(run), ...answered], durable: true })
    }
    this.#announce(run)
    scope.context.signal.throwIfAborted()
    return type.run(params, scope)
  }

  // Results

  /** Stores how a node ended, with what follows. Returns the error that fails the execution. */
  async #complete(ended: Ended): Promise<RunError | null> {
    const { token, run } = ended
    const statements = this.#signals.delete(token.id) ? [dropSignal(this.#execution.id, token.id)] : []
    const durable = ended.effect || statements.length > 0
    if ('error' in ended) {
      if (this.#abort.signal.aborted)
        throw this.#context.signal.aborted ? this.#context.signal.reason : ended.error
      return this.#fail(ended, ended.error, statements)
    }
    const { result } = ended
    try {
      if ('wait' in result) await this.#suspend(ended, result, statements)
      else if ('loop' in result) await this.#enterLoop(ended, result.loop, statements)
      else {
        const value = storable(result.output)
        this.#values.refuseTooMuch(value)
        delete token.wait
        run.output = value.json
        run.output_name = result.to ?? 'main'
        this.#finishRun(run, 'succeeded', value)
        statements.push(saveRun(run), ...this.#dropOld(run))
        statements.push(
          ...this.#continue(token, {
            output: run.output_name,
            source: { run: run.seq },
            width: result.width,
          }),
        )
        await this.#settle({ statements, durable })
      }
      this.#announce(run)
      return null
    } catch (thrown) {
      if (!(thrown instanceof NodeError)) throw thrown
      return this.#fail(ended, thrown, statements)
    }
  }

  #finishRun(run: StoredRun, status: StoredRun['status'], value?: Value): void {
    run.status = status
    run.completed_at = iso(this.#context.clock.now())
    if (value) this.#values.publish(run, value)
  }

  #dropOld(run: StoredRun): Statement[] {
    return run.iteration !== null && run.iteration > keptIterations
      ? [dropIterations(run, keptIterations)]
      : []
  }

  /** Removes the token and starts what follows. Returns the statements for values that went back to a loop. */
  #continue(
    token: Token,
    { output, source, width }: { output: string; source: Source; width?: number | undefined },
  ): Statement[] {
    this.#state.tokens = this.#state.tokens.filter(({ id }) => id !== token.id)
    const returned = follow(this.#state, this.#graph, { token, output, source, width: width ?? token.width })
    return returned.flatMap(({ frame, source: value }) => {
      if (!frame.collect) return []
      const position = frame.collected
      frame.collected += 1
      return [addResult(this.#execution.id, frame.id, { position, value: this.#values.of(value).json })]
    })
  }

  async #fail(
    { token, node, run }: Ended,
    thrown: unknown,
    statements: Statement[],
  ): Promise<RunError | null> {
    const error = toRunError(node.id, thrown)
    const permanent = thrown instanceof NodeError && thrown.permanent
    token.attempts += 1
    run.error = error
    const { retry } = node
    if (retry && !permanent && token.attempts < retry.max_attempts) {
      const factor = retry.backoff === 'exponential' ? 2 ** (token.attempts - 1) : 1
      const until = iso(this.#context.clock.now() + Math.min(3_600, retry.delay_seconds * factor) * second)
      token.wait = {
        kind: 'retry',
        message: error.message,
        options: [],
        until,
        ref: null,
        data: { seq: run.seq, started_at: run.started_at },
      }
      run.status = 'waiting'
      await this.#settle({ statements: [...statements, saveRun(run)] })
      this.#announce(run)
      return null
    }
    delete token.wait
    this.#finishRun(run, 'failed')
    if (node.on_error === 'stop') {
      this.#state.tokens = this.#state.tokens.filter(({ id }) => id !== token.id)
      await this.#commit({ statements: [...statements, saveRun(run)] })
      this.#announce(run)
      return error
    }
    const input = this.#values.of(token.source)
    const value =
      node.on_error === 'continue'
        ? input
        : storable({
            error: { code: error.code, message: error.message, node_id: node.id },
            input: input.value,
          })
    run.output = value.json
    run.output_name = node.on_error === 'continue' ? 'main' : 'error'
    this.#values.publish(run, value)
    statements.push(
      saveRun(run),
      ...this.#dropOld(run),
      ...this.#continue(token, { output: run.output_name, source: { run: run.seq } }),
    )
    await this.#settle({ statements })
    this.#announce(run)
    return null
  }

  async #suspend(
    { token, run }: Ended,
    { wait, statements: own = [], events = [] }: Extract<NodeResult, { wait: unknown }>,
    statements: Statement[],
  ): Promise<void> {
    const { data, ...shown } = wait
    token.wait = {
      options: [],
      until: null,
      ref: null,
      ...shown,
      data: { seq: run.seq, started_at: run.started_at, data },
    }
    run.status = 'waiting'
    await this.#settle({ statements: [...statements, saveRun(run), ...own], events, durable: true })
    if (own.length > 0) this.#context.process.wake()
  }

  // Loops

  async #enterLoop(
    { token, run }: Ended,
    { items, batch_size, collect, only_items }: Extract<NodeResult, { loop: unknown }>['loop'],
    statements: Statement[],
  ): Promise<void> {
    const { json, value } = storable(items)
    const id = this.#state.next_id
    this.#state.next_id += 1
    this.#values.setItems(id, value as unknown[])
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
    this.#state.tokens = this.#state.tokens.filter((one) => one.id !== token.id)
    this.#state.frames.unshift(frame)
    await this.#settle({ statements: [...statements, saveRun(run), saveItems(this.#execution.id, id, json)] })
  }

  /** Starts the merges and iterations that are due, and stores the state. */
  async #settle(batch: Batch): Promise<void> {
    let { statements, events = [], durable = false } = batch
    releaseMerges(this.#state, this.#graph)
    for (let frame = endedIteration(this.#state); frame; frame = endedIteration(this.#state)) {
      if (frame.at + frame.size < frame.total) this.#nextIteration(frame)
      else {
        if (statements.length > 0) await this.#commit({ statements, events, durable })
        statements = await this.#leaveLoop(frame)
        events = []
        durable = false
      }
      releaseMerges(this.#state, this.#graph)
    }
    if (statements.length > 0) await this.#commit({ statements, events, durable })
  }

  #nextIteration(frame: Frame): void {
    frame.at += frame.size
    frame.iteration += 1
    const edges = this.#graph.edgesOf(frame.node, 'loop').filter(({ target }) => target !== frame.node)
    // Without a body there is nothing to do for the other items.
    if (edges.length === 0) frame.at = frame.total
    for (const { target } of edges)
      addToken(this.#state, {
        node: target,
        source: { frame: frame.id },
        frame: frame.id,
        width: frame.width,
      })
  }

  async #leaveLoop(frame: Frame): Promise<Statement[]> {
    const { id } = this.#execution
    const size = frame.collect ? await sizeOfResults(this.#context, id, frame.id) : 0
    if (size > maxOutput) {
      const message = `The collected outputs have ${size} characters as JSON, and the limit is ${maxOutput}; turn off collect`
      throw new LoopFailed({ node_id: frame.node, code: 'too_large', message })
    }
    const results = frame.collect ? await loadResults(this.#context, id, frame.id) : []
    const json = loopOutput(frame, results)
    const [run] = await findRuns(this.#context, id, [frame.run])
    if (!run) throw new Error(`The run ${frame.run} of a loop is missing`)
    this.#state.frames = this.#state.frames.filter((one) => one !== frame)
    this.#values.dropItems(frame.id)
    const value = parsedValue(json)
    run.output = json
    run.output_name = 'done'
    this.#finishRun(run, 'succeeded', value)
    const token: Token = {
      id: run.token,
      node: frame.node,
      source: { run: run.seq },
      frame: frame.parent,
      width: frame.width,
      attempts: 0,
    }
    const back = this.#continue(token, { output: 'done', source: { run: run.seq } })
    this.#announce(run)
    return [saveRun(run), ...dropLoop(id, frame.id), ...this.#dropOld(run), ...back]
  }

  // Storing

  async #commit({ statements, events = [], durable = false }: Batch): Promise<void> {
    const step = storeStep(
      { id: this.#execution.id, revision: this.#revision },
      { status: 'running', state: this.#state },
    )
    this.#revision += 1
    try {
      await this.#context.commit([step, ...statements], events, { durable })
    } catch (thrown) {
      throw thrown instanceof GuardFailed ? new TakenOver() : thrown
    }
  }

  #announce(run: StoredRun): void {
    const { execution_id, seq, node_id, status, attempt, iteration, started_at, completed_at, error } = run
    watchers(this.#context).publish(execution_id, () => ({
      ...{ execution_id, seq, node_id, status, attempt, iteration, started_at, completed_at, error },
    }))
  }

  // The end

  #isLate(): boolean {
    const { deadline_at } = this.#execution
    return deadline_at !== null && Date.parse(deadline_at) <= this.#context.clock.now()
  }

  #lateError(): RunError {
    const seconds = this.#definition.settings.timeout_seconds
    return { node_id: null, code: 'timeout', message: `The execution took longer than ${seconds} s` }
  }

  /** Nothing can run now: the execution has ended, or it waits. */
  async #pause(): Promise<WorkOutcome> {
    if (this.#context.signal.aborted) throw this.#context.signal.reason
    const { tokens, result } = this.#state
    if (tokens.length > 0 && this.#isLate()) return this.#end('timed_out', { error: this.#lateError() })
    if (tokens.length === 0)
      return this.#end('succeeded', { output: result ? this.#values.of(result).json : 'null' })
    const until = [...tokens.map(({ wait }) => wait?.until), this.#execution.deadline_at]
    const due = Math.min(...until.flatMap((time) => (time ? [Date.parse(time)] : [])))
    const { id } = this.#execution
    const again = { kind: stepKind, subject: id, lane: id, due }
    const isNew = this.#execution.status !== 'waiting' || this.#revision !== this.#execution.revision
    return {
      status: 'succeeded',
      statements: [
        storeStep({ id, revision: this.#revision }, { status: 'waiting', state: this.#state }),
        ...(Number.isFinite(due) ? [insertWork(this.#context, again).statement] : []),
        // What waits leaves its place to an execution that is queued.
        ...(isNew && this.#definition.settings.mode === 'parallel'
          ? [promoteWork(this.#context, this.#execution.workflow_id)]
          : []),
      ],
      events: isNew ? [this.#waitingEvent()] : [],
    }
  }

  #waitingEvent(): EventInput {
    const kinds = this.#state.tokens.flatMap(({ wait }) => (wait ? [wait.kind] : []))
    return runEvent(
      'workflow.run.waiting',
      { ...this.#execution, name: this.#name },
      { kinds: [...new Set(kinds)] },
    )
  }

  async #end(
    status: 'succeeded' | 'failed' | 'timed_out',
    { output = null, error = null }: { output?: string | null; error?: RunError | null },
  ): Promise<WorkOutcome> {
    this.#abort.abort(new Error('The execution has ended'))
    const now = iso(this.#context.clock.now())
    const step = { status, state: { ...this.#state, frames: [] }, output, error, completed_at: now }
    const end = await ending(
      this.#context,
      { ...this.#execution, name: this.#name },
      { status, error, settings: this.#definition.settings },
    )
    return {
      status: 'succeeded',
      statements: [storeStep({ id: this.#execution.id, revision: this.#revision }, step), ...end.statements],
      events: end.events,
      announce: end.announce,
    }
  }
}
