import type { Host } from '../host.ts'
import { iso } from '../time.ts'
import type { StoredExecution } from './execution-store.ts'
import type { Data } from './expressions.ts'
import type { Graph } from './graph.ts'
import { findRuns, latestOutputs, loadItems } from './node-run-store.ts'
import { NodeError } from './node-type.ts'
import type { Definition } from './schema.ts'
import { type Frame, frameOf, type Source, type State, type Token } from './state.ts'

/** A value with its JSON, which is made once. */
export interface Value {
  json: string
  value: unknown
}

/** Maximum JSON characters of the outputs that one execution keeps in memory. */
const maxKept = 50 * 1024 * 1024

/** Maximum JSON characters of outputs that are no longer needed and may stay in memory. */
const maxUnneeded = 4 * 1024 * 1024

export const parsedValue = (json: string | null): Value => ({
  json: json ?? 'null',
  value: json === null ? null : (JSON.parse(json) as unknown),
})

/** The values of an execution that are still needed: the latest output of each node, and what tokens refer to. */
export class Values {
  readonly #execution: StoredExecution
  readonly #definition: Definition
  readonly #graph: Graph
  readonly #input: Value
  readonly #outputs = new Map<number, Value>()
  readonly #items = new Map<number, unknown[]>()
  readonly #latest = new Map<string, number>()
  /** Characters of `#outputs`, and how many of them were needed at the last cleanup. */
  #size = 0
  #needed = 0
  /** For expressions: by id, and by name where no node has that id. */
  readonly #nodes: Record<string, { output: unknown }> = Object.create(null)

  constructor(execution: StoredExecution, definition: Definition, graph: Graph) {
    this.#execution = execution
    this.#definition = definition
    this.#graph = graph
    this.#input = { json: JSON.stringify(execution.input ?? null), value: execution.input }
  }

  get #state(): State {
    return this.#execution.state
  }

  async load(host: Pick<Host, 'sql'>): Promise<void> {
    const { id } = this.#execution
    for (const { node_id, seq, output } of await latestOutputs(host, id))
      this.publish({ node_id, seq }, parsedValue(output))
    const missing = this.#referenced().filter((seq) => !this.#outputs.has(seq))
    for (const { seq, output } of await findRuns(host, id, missing)) this.#keep(seq, parsedValue(output))
    for (const frame of this.#state.frames) this.#items.set(frame.id, await loadItems(host, id, frame.id))
  }

  publish({ node_id, seq }: { node_id: string; seq: number }, value: Value): void {
    const entry = { output: value.value }
    this.#keep(seq, value)
    this.#latest.set(node_id, seq)
    this.#nodes[node_id] = entry
    const name = this.#graph.nodes.get(node_id)?.name
    if (name !== undefined && !this.#graph.nodes.has(name)) this.#nodes[name] = entry
    const isMany = this.#outputs.size > 2 * this.#graph.nodes.size + 20
    if (isMany || this.#size > this.#needed + maxUnneeded) this.#forget()
  }

  #keep(seq: number, value: Value): void {
    this.#size += value.json.length - (this.#outputs.get(seq)?.json.length ?? 0)
    this.#outputs.set(seq, value)
  }

  /** Throws if this output, together with those that other nodes may still read, exceeds the limit. */
  refuseTooMuch({ json }: Value): void {
    if (this.#size + json.length <= maxKept) return
    this.#forget()
    if (this.#size + json.length > maxKept)
      throw new NodeError(
        'too_large',
        `The outputs of this execution exceed ${maxKept} characters in total`,
        { permanent: true },
      )
  }

  setItems(frame: number, items: unknown[]): void {
    this.#items.set(frame, items)
  }

  dropItems(frame: number): void {
    this.#items.delete(frame)
  }

  of(source: Source): Value {
    if (source === 'input') return this.#input
    if ('run' in source) return this.#outputs.get(source.run) ?? { json: 'null', value: null }
    const frame = frameOf(this.#state, source.frame)
    const value = frame && this.#batch(frame)
    return { json: JSON.stringify(value ?? null), value }
  }

  /** The current item of a loop, or its current items if it takes several at a time. */
  #batch({ id, at, size }: Frame): unknown {
    const items = this.#items.get(id) ?? []
    return size === 1 ? items[at] : items.slice(at, at + size)
  }

  /** What the expressions of a node see. */
  data(token: Token, now: number): Data {
    const frame = frameOf(this.#state, token.frame)
    const { id, workflow_id, trigger } = this.#execution
    return {
      input: this.of(token.source).value,
      nodes: this.#nodes,
      vars: this.#definition.variables,
      item: frame ? this.#batch(frame) : null,
      index: frame ? frame.iteration : null,
      now: iso(now),
      execution: { id, workflow_id, trigger },
    }
  }

  /**
   * The part of `data` that nobody but the owner wrote: the constants of the workflow, and what a person typed to start the
   * execution. What nodes have read or computed is left out.
   */
  ownData({ input, nodes, ...rest }: Data): Data {
    const isTyped = (value: unknown) =>
      this.#state.typed === true && JSON.stringify(value ?? null) === this.#input.json
    const own = Object.entries(nodes).filter(
      ([id, { output }]) => this.#graph.nodes.get(id)?.type.startsWith('trigger.') && isTyped(output),
    )
    const nobodys = { item: null }
    return { ...rest, ...nobodys, input: isTyped(input) ? input : null, nodes: Object.fromEntries(own) }
  }

  #referenced(): number[] {
    const { tokens, merges, result } = this.#state
    const sources = [
      ...tokens.flatMap(({ source, inputs = [] }) => [source, ...inputs.map((input) => input.source)]),
      ...merges.flatMap(({ inputs }) => inputs.map(({ source }) => source)),
      ...(result ? [result] : []),
    ]
    const runs = sources.flatMap((source) =>
      typeof source === 'object' && 'run' in source ? [source.run] : [],
    )
    return [...new Set([...runs, ...this.#latest.values()])]
  }

  /** Keeps the memory of long loops bounded. */
  #forget(): void {
    const needed = new Set(this.#referenced())
    for (const [seq, { json }] of this.#outputs) {
      if (needed.has(seq)) continue
      this.#outputs.delete(seq)
      this.#size -= json.length
    }
    this.#needed = this.#size
  }
}

/** The output of a loop as JSON: its count and the results (JSON too), or only the joined list. */
export function loopOutput({ collect, only_items, total }: Frame, results: readonly string[]): string {
  if (only_items) return JSON.stringify(results.flatMap((result) => JSON.parse(result) as unknown))
  return `{"count":${total}${collect ? `,"items":[${results.join(',')}]` : ''}}`
}
