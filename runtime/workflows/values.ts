import type { Host } from '../host.ts'
import { iso } from '../time.ts'
import { encoded, loadValue, maxInline, none, type Value, valueLoader } from './blob-store.ts'
import type { Drawing } from './drawing.ts'
import type { StoredExecution } from './execution-store.ts'
import type { Data } from './expressions.ts'
import type { Graph } from './graph.ts'
import { itemsOf, type Lineage, parentsAt, parsedLineage, usualParents } from './items.ts'
import { findRuns, latestOutputs, loadItems, loadLineages, type StoredRun } from './node-run-store.ts'
import { permanentError } from './node-type.ts'
import type { Definition } from './schema.ts'
import { type Iteration, type Round, roundOf, type Source, type State, type Token } from './state.ts'

/** An item of a run's output, or of a loop. */
interface Place {
  source: Source
  index: number
}

/** Where runs are read, once all that is known of them is stored. */
type ReadRuns = () => Promise<Pick<Host, 'sql'>>

/** Runs whose lineage stays in memory. */
const maxLineages = 5_000

/** Maximum bytes, as JSON, of the outputs that one execution keeps in memory. */
const maxKept = 64 * 1024 * 1024

/** Maximum bytes of outputs that are no longer needed and may stay in memory. */
const maxUnneeded = 4 * 1024 * 1024

/** Maximum bytes of a node's output as JSON. */
export const maxOutput = 32 * 1024 * 1024

/** Items of a list that a node passes on. */
const maxItems = 500_000

const tooLarge = (bytes: string) =>
  permanentError(
    'too_large',
    `The output has ${bytes} bytes as JSON; a node passes on at most ${maxOutput}. ` +
      'Pass on only the fields that are needed, process the items in parts, or keep the data in a file',
  )

function jsonOf(output: unknown): string {
  try {
    return JSON.stringify(output) ?? 'null'
  } catch (thrown) {
    // It is nested too deeply, for example.
    throw permanentError('invalid_output', `The output cannot be written as JSON: ${String(thrown)}`)
  }
}

/** Whether the output is this value, or a list of the same items. */
const isSame = (output: unknown, { value }: Value): boolean =>
  output === value ||
  (Array.isArray(output) &&
    Array.isArray(value) &&
    output.length === value.length &&
    output.every((item, index) => item === value[index]))

type Drawn = Pick<Drawing, 'definition' | 'graph'>

/** The values of an execution that are still needed: the latest output of each node, and what tokens refer to. */
export class Values {
  readonly #host: Pick<Host, 'secrets'>
  readonly #execution: StoredExecution
  readonly #definition: Definition
  readonly #graph: Graph
  readonly #outputs = new Map<number, Value>()
  readonly #lineages = new Map<number, Lineage>()
  /** Items of one output, by run and output. */
  readonly #parts = new Map<string, Value>()
  readonly #items = new Map<number, unknown[]>()
  /** What iterations that have not ended work on. */
  readonly #rounds = new WeakMap<Iteration, Value>()
  readonly #latest = new Map<string, number>()
  /** How many of `#outputs` are the same large value, by its reference. */
  readonly #shared = new Map<string, number>()
  /** Bytes of `#outputs`, and how many of them were needed at the last cleanup. */
  #size = 0
  #needed = 0
  /** For expressions: by id, and by name where no node has that id. */
  readonly #nodes: Record<string, { output: unknown }> = Object.create(null)

  /** The addresses at which the execution continues, if it may wait for that. */
  addresses: { resume_url?: string; form_url?: string; approval_url?: string } = {}

  constructor(host: Pick<Host, 'secrets'>, execution: StoredExecution, { definition, graph }: Drawn) {
    this.#host = host
    this.#execution = execution
    this.#definition = definition
    this.#graph = graph
  }

  get #state(): State {
    return this.#execution.state
  }

  async load(host: Pick<Host, 'sql'>): Promise<void> {
    const { id } = this.#execution
    const value = valueLoader(host, [this.#execution.input])
    for (const run of await latestOutputs(host, id)) this.publish(run, await value(run.output), parsedLineage(run))
    const missing = this.#referenced().filter((seq) => !this.#outputs.has(seq))
    for (const run of missing.length > 0 ? await findRuns(host, id, missing) : []) {
      this.#keep(run.seq, await value(run.output))
      this.#lineages.set(run.seq, parsedLineage(run))
    }
    for (const frame of this.#state.frames) this.#items.set(frame.id, await loadItems(host, id, frame.id))
  }

  publish(
    { node_id, seq, one_item }: Pick<StoredRun, 'node_id' | 'seq' | 'one_item'>,
    value: Value,
    lineage: Lineage,
  ): void {
    const entry = { output: value.value }
    this.#keep(seq, value)
    this.#lineages.set(seq, lineage)
    if (one_item === 1) return
    this.#latest.set(node_id, seq)
    this.#nodes[node_id] = entry
    const name = this.#graph.nodes.get(node_id)?.name
    if (name !== undefined && !this.#graph.nodes.has(name)) this.#nodes[name] = entry
    const isMany = this.#outputs.size > 2 * this.#graph.nodes.size + 20
    if (isMany || this.#size > this.#needed + maxUnneeded) this.#forget()
  }

  #keep(seq: number, value: Value): void {
    this.#drop(seq)
    this.#outputs.set(seq, value)
    if (this.#count(value, 1) === 1) this.#size += value.size
  }

  #drop(seq: number): void {
    const value = this.#outputs.get(seq)
    if (!value) return
    this.#outputs.delete(seq)
    if (this.#count(value, -1) === 0) this.#size -= value.size
  }

  /** How many outputs are this value, after one more or less. */
  #count({ stored, size }: Value, change: 1 | -1): number {
    if (size <= maxInline) return change === 1 ? 1 : 0
    const count = (this.#shared.get(stored) ?? 0) + change
    if (count === 0) this.#shared.delete(stored)
    else this.#shared.set(stored, count)
    return count
  }

  /** Throws if this output, together with those that other nodes may still read, exceeds the limit. */
  refuseTooMuch({ size, stored }: Value): void {
    if (this.#size + size <= maxKept || this.#shared.has(stored)) return
    this.#forget()
    if (this.#size + size > maxKept)
      throw permanentError(
        'too_large',
        `The outputs of this execution exceed ${maxKept} bytes in total; keep large data in files or sub-workflows`,
      )
  }

  /**
   * The output as it is stored and passed on: JSON, without what JSON cannot express. If it is the same as one of these
   * sources, it is not stored again.
   */
  storable(output: unknown, sources: readonly Source[] = []): Value {
    const values = sources.map((source) => this.of(source))
    const same = values.find((value) => isSame(output, value))
    if (same) return same
    if (Array.isArray(output) && output.length > maxItems)
      throw permanentError(
        'too_large',
        `The output is a list of ${output.length} items; a node passes on at most ${maxItems}. ` +
          'Process them in parts, or keep them in a table or a file',
      )
    const json = jsonOf(output)
    if (json.length > maxOutput) throw tooLarge(`more than ${json.length}`)
    const own = encoded(this.#host, json)
    if (own.size > maxOutput) throw tooLarge(String(own.size))
    const equal = values.find(({ stored }) => stored === own.stored)
    return equal ?? { ...own, value: typeof output === 'object' ? (JSON.parse(json) as unknown) : (output ?? null) }
  }

  setItems(frame: number, items: unknown[]): void {
    this.#items.set(frame, items)
  }

  dropItems(frame: number): void {
    this.#items.delete(frame)
  }

  of(source: Source): Value {
    if (source === 'input') return this.#execution.input
    if ('run' in source) return this.#outputOf(source)
    const round = roundOf(this.#state, source.iteration)
    const cached = round && this.#rounds.get(round.iteration)
    if (cached) return cached
    const value = round && this.#batch(round)
    const made = { ...encoded(this.#host, JSON.stringify(value ?? null)), value }
    if (round) this.#rounds.set(round.iteration, made)
    return made
  }

  #outputOf({ run, output }: { run: number; output?: string }): Value {
    const whole = this.#outputs.get(run) ?? none
    const route = output === undefined ? undefined : this.#lineages.get(run)?.routes?.[output]
    if (!route) return whole
    const key = `${run} ${output}`
    let part = this.#parts.get(key)
    if (!part) {
      const items = itemsOf(whole.value)
      const value = route.map((position) => items[position])
      part = { ...encoded(this.#host, JSON.stringify(value)), value }
      this.#parts.set(key, part)
    }
    return part
  }

  /** The current item of a loop, or its current items if it takes several at a time. */
  #batch({ frame: { id, size, each }, iteration: { at } }: Round): unknown {
    const items = this.#items.get(id) ?? []
    return size === 1 || each ? items[at] : items.slice(at, at + size)
  }

  /** What a loop has to do. */
  loopItems(frame: number): unknown[] {
    return this.#items.get(frame) ?? []
  }

  /** The lineage that a value has if its node says nothing about it. */
  usualLineage(node_id: string, from: readonly Source[], { value }: Value): Lineage {
    const [first] = from
    const inputs = first === undefined || from.length > 1 ? 0 : itemsOf(this.of(first).value).length
    return { node_id, from, parents: usualParents(inputs, itemsOf(value).length) }
  }

  /** The positions of a loop's items that an item was made from, if that is known. */
  originsIn({ frame, iteration }: Round, place: Place): number[] {
    const open = [place]
    const origins = new Set<number>()
    for (let next = open.pop(); next; next = open.pop()) {
      const { source, index } = next
      if (source === 'input') continue
      if ('iteration' in source) {
        if (source.iteration === iteration.id) origins.add(iteration.at + (frame.size === 1 ? 0 : index))
        else open.push(...this.#beforeIteration(source.iteration, index))
        continue
      }
      const lineage = this.#lineages.get(source.run)
      if (lineage) open.push(...parentPlaces(lineage, source, index))
    }
    return [...origins]
  }

  #beforeIteration(id: number, index: number): Place[] {
    const round = roundOf(this.#state, id)
    if (!round?.frame.paired) return []
    const { frame, iteration } = round
    return [{ source: frame.source, index: iteration.at + (frame.size === 1 ? 0 : index) }]
  }

  /** The items of a node from which an item was made, by its lineage: none if it is not known, several after an aggregate. */
  async origins(read: ReadRuns, node: string, place: Place): Promise<Place[]> {
    const open = [place]
    const places = new Map<string, Place>()
    const seen = new Set<string>()
    for (let next = open.pop(); next; next = open.pop()) {
      const { source, index } = next
      const key = `${JSON.stringify(source)} ${index}`
      if (source === 'input' || seen.has(key)) continue
      seen.add(key)
      if ('iteration' in source) {
        const round = roundOf(this.#state, source.iteration)
        if (round && round.frame.node === node && !round.frame.each) places.set(key, next)
        else open.push(...this.#beforeIteration(source.iteration, index))
        continue
      }
      const lineage = await this.#lineageOf(read, source.run)
      if (!lineage) continue
      if (lineage.node_id !== node) open.push(...parentPlaces(lineage, source, index))
      else {
        const position = positionOf(lineage, source, index)
        places.set(`${source.run} ${position}`, { source: { run: source.run }, index: position })
      }
    }
    return [...places.values()]
  }

  async #lineageOf(read: ReadRuns, run: number): Promise<Lineage | undefined> {
    const kept = this.#lineages.get(run)
    if (kept) return kept
    const loaded = await loadLineages(await read(), this.#execution.id, [run])
    for (const [seq, lineage] of loaded) this.#lineages.set(seq, lineage)
    return loaded.get(run)
  }

  /** The item at a place, which may be in a run that is no longer in memory. */
  async itemAt(read: ReadRuns, { source, index }: Place): Promise<unknown> {
    if (typeof source === 'object' && 'run' in source && !this.#outputs.has(source.run)) {
      const [run] = await findRuns(await read(), this.#execution.id, [source.run])
      if (run) this.#keep(run.seq, await loadValue(await read(), run.output))
    }
    return itemsOf(this.of(source).value)[index]
  }

  nodeOfRun(run: number): string | undefined {
    return this.#lineages.get(run)?.node_id
  }

  /** The latest run of a node. */
  latestRun(node: string): { run: number; lineage: Lineage | undefined } | null {
    const run = this.#latest.get(node)
    return run === undefined ? null : { run, lineage: this.#lineages.get(run) }
  }

  /** What the expressions of a node see. */
  data(token: Token, now: number): Data {
    const round = roundOf(this.#state, token.iteration)
    const { id, workflow_id, trigger } = this.#execution
    return {
      input: this.of(token.source).value,
      nodes: this.#nodes,
      vars: this.#definition.variables,
      item: round ? this.#batch(round) : null,
      index: round ? round.iteration.index : null,
      now: iso(now),
      execution: { id, workflow_id, trigger, ...this.addresses },
    }
  }

  /**
   * The part of `data` that nobody but the owner wrote: the constants of the workflow, and what a person typed to start the
   * execution. What nodes have read or computed is left out.
   */
  ownData({ input, nodes, ...rest }: Data): Data {
    const typed = this.#execution.input
    const isTyped = (value: unknown) =>
      this.#state.typed === true && (value === typed.value || JSON.stringify(value ?? null) === typed.stored)
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
    const runs = sources.flatMap((source) => (typeof source === 'object' && 'run' in source ? [source.run] : []))
    return [...new Set([...runs, ...this.#latest.values()])]
  }

  /** Keeps the memory of long loops bounded. */
  #forget(): void {
    const needed = new Set(this.#referenced())
    for (const seq of this.#outputs.keys()) if (!needed.has(seq)) this.#drop(seq)
    for (const key of this.#parts.keys())
      if (!needed.has(Number(key.slice(0, key.indexOf(' '))))) this.#parts.delete(key)
    if (this.#lineages.size > maxLineages)
      for (const seq of this.#lineages.keys()) if (!needed.has(seq)) this.#lineages.delete(seq)
    this.#needed = this.#size
  }
}

const positionOf = ({ routes }: Lineage, { output }: { output?: string }, index: number): number =>
  (output === undefined ? undefined : routes?.[output])?.[index] ?? index

function parentPlaces(lineage: Lineage, source: { run: number; output?: string }, index: number): Place[] {
  return parentsAt(lineage.parents, positionOf(lineage, source, index)).flatMap((parent) => {
    const { input, index: at } = typeof parent === 'number' ? { input: 0, index: parent } : parent
    const from = lineage.from[input]
    return from === undefined ? [] : [{ source: from, index: at }]
  })
}
