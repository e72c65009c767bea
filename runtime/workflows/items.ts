import type { Source } from './state.ts'

/** An item of the input: its position, in the first input if it does not say which. */
export type Parent = number | { input: number; index: number }

/**
 * For each item of an output, what it was made from. `same`: item i was made from item i. A number: all were made from this
 * item. Null: it is not known.
 */
export type Parents = 'same' | number | null | readonly (Parent | readonly Parent[] | null)[]

/** Positions of the items that an output got, by its name. */
export type Routes = Readonly<Record<string, readonly number[]>>

/** Where the items of a run came from, and where they went. */
export interface Lineage {
  node_id: string
  from: readonly Source[]
  parents: Parents
  /** Absent if all went to one output. */
  routes?: Routes
}

/** The items of a value: those of a list; everything else is one item. */
export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** As the same list if nothing says otherwise: item by item, or all from the only one. */
export function usualParents(inputs: number, outputs: number): Parents {
  if (inputs === outputs) return 'same'
  return inputs === 1 ? 0 : null
}

/** The parents of one item. */
export function parentsAt(parents: Parents, index: number): Parent[] {
  if (parents === null) return []
  if (parents === 'same') return [index]
  if (typeof parents === 'number') return [parents]
  const own = parents[index] ?? null
  return own === null ? [] : Array.isArray(own) ? own : [own as Parent]
}

// Positions often count up or repeat, and are then stored as triples: the first, how many, and the difference.

/** Positions in a list, packed. */
type Packed = { packed: number[] }

function packed(numbers: readonly number[]): Packed {
  const triples: number[] = []
  for (let at = 0; at < numbers.length; ) {
    const first = numbers[at] as number
    const step = at + 1 < numbers.length ? (numbers[at + 1] as number) - first : 0
    let count = 1
    while (at + count < numbers.length && numbers[at + count] === first + step * count) count += 1
    triples.push(first, count, step)
    at += count
  }
  return { packed: triples }
}

function unpacked({ packed: triples }: Packed): number[] {
  const numbers: number[] = []
  for (let at = 0; at < triples.length; at += 3) {
    const [first = 0, count = 0, step = 0] = triples.slice(at, at + 3)
    for (let index = 0; index < count; index += 1) numbers.push(first + step * index)
  }
  return numbers
}

/** A lineage as it is stored. The run itself has the node, and the source if it is one run with one output. */
interface Stored {
  from?: readonly Source[]
  parents?: Exclude<Parents, readonly unknown[]> | Packed | Parents
  routes?: Record<string, Packed>
}

/** As JSON; null if there is nothing to say beyond the run that the input is from. */
export function storedLineage({ from, parents, routes }: Lineage): string | null {
  const [first] = from
  const isPlain = from.length === 1 && typeof first === 'object' && 'run' in first && first.output === undefined
  const stored: Stored = {
    ...(isPlain || from.length === 0 ? {} : { from }),
    ...(parents === 'same' ? {} : { parents: packedParents(parents) }),
    ...(routes && { routes: mapValues(routes, packed) }),
  }
  return Object.keys(stored).length === 0 ? null : JSON.stringify(stored)
}

const packedParents = (parents: Parents): Stored['parents'] =>
  Array.isArray(parents) && parents.every((one) => typeof one === 'number') ? packed(parents) : parents

export function parsedLineage(row: { node_id: string; input_from: number | null; items: string | null }): Lineage {
  const { from, parents = 'same', routes } = JSON.parse(row.items ?? '{}') as Stored
  return {
    node_id: row.node_id,
    from: from ?? (row.input_from === null ? [] : [{ run: row.input_from }]),
    parents: typeof parents === 'object' && parents && 'packed' in parents ? unpacked(parents) : parents,
    ...(routes && { routes: mapValues(routes, unpacked) }),
  }
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
