import { findCycle } from '../graph.ts'
import type { Definition, WorkflowEdge, WorkflowNode } from './schema.ts'

type Drawn = Pick<Definition, 'nodes' | 'edges'>

/** The nodes and edges of a definition, indexed. */
export class Graph {
  readonly nodes: ReadonlyMap<string, WorkflowNode>
  readonly #from: ReadonlyMap<string, WorkflowEdge[]>
  readonly #reached = new Map<string, Set<string>>()

  constructor({ nodes, edges }: Drawn) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]))
    this.#from = Map.groupBy(edges, ({ source }) => source)
  }

  edgesFrom(node: string): readonly WorkflowEdge[] {
    return this.#from.get(node) ?? []
  }

  /** The edges of one output, in the order in which they were drawn. */
  edgesOf(node: string, output: string): readonly WorkflowEdge[] {
    return this.edgesFrom(node).filter(({ source_output }) => source_output === output)
  }

  /** Whether an edge leads from `from` to `to`, directly or through other nodes, but not through `except`. */
  reaches(from: string, to: string, except: string | null): boolean {
    const key = `${from} ${except ?? ''}`
    let reached = this.#reached.get(key)
    if (!reached) {
      reached = new Set()
      const open = [from]
      for (let node = open.pop(); node !== undefined; node = open.pop())
        for (const { target } of this.edgesFrom(node)) {
          if (target === except || reached.has(target)) continue
          reached.add(target)
          open.push(target)
        }
      this.#reached.set(key, reached)
    }
    return reached.has(to)
  }

  /** The loop node that runs this node, if any; of nested ones the outermost. */
  outermostLoop(node: string): string | null {
    const loops = [...this.nodes.values()].filter(
      ({ id, type }) => type === 'loop' && id !== node && this.#runs(id, node),
    )
    const outer = loops.find(({ id }) => !loops.some((other) => other.id !== id && this.#runs(other.id, id)))
    return outer?.id ?? null
  }

  /** Whether a node comes after the output `loop`, and not after `done` as well. */
  #runs(loop: string, node: string): boolean {
    const leads = (output: string) =>
      this.edgesOf(loop, output).some(({ target }) => target === node || this.reaches(target, node, loop))
    return leads('loop') && !leads('done')
  }
}

/** The ids of the nodes of a cycle without a loop node; null if there is none. */
export function cycleWithoutLoop({ nodes, edges }: Drawn): string[] | null {
  const plain = new Set(nodes.filter(({ type }) => type !== 'loop').map(({ id }) => id))
  const between = edges.filter(({ source, target }) => plain.has(source) && plain.has(target))
  return findCycle(
    plain,
    between.map(({ source, target }) => ({ from: source, to: target })),
  )
}
