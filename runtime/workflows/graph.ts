import { findCycle } from '../graph.ts'
import type { Definition, WorkflowEdge, WorkflowNode } from './schema.ts'

type Drawn = Pick<Definition, 'nodes' | 'edges'>

/** The types that wait for everything that can still arrive at their inputs, and take it together. */
const joining = new Set(['merge', 'compare'])

export const hasSeveralInputs = (type: string): boolean => joining.has(type)

/** The nodes and edges of a definition, indexed. */
export class Graph {
  readonly nodes: ReadonlyMap<string, WorkflowNode>
  readonly #from: ReadonlyMap<string, WorkflowEdge[]>
  readonly #edges: ReadonlyMap<string, WorkflowEdge>
  readonly #reached = new Map<string, Set<string>>()

  constructor({ nodes, edges }: Drawn) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]))
    this.#from = Map.groupBy(edges, ({ source }) => source)
    this.#edges = new Map(edges.map((edge) => [edge.id, edge]))
  }

  edgesFrom(node: string): readonly WorkflowEdge[] {
    return this.#from.get(node) ?? []
  }

  edge(id: string): WorkflowEdge | undefined {
    return this.#edges.get(id)
  }

  /** What arrived at a node, by input and then in the order in which the edges were drawn. */
  inOrder<Input extends { edge: string }>(inputs: readonly Input[]): Input[] {
    const order = new Map([...this.#edges.keys()].map((id, index) => [id, index]))
    const placeOf = ({ edge }: Input) => [
      this.#edges.get(edge)?.target_input ?? 0,
      order.get(edge) ?? Number.POSITIVE_INFINITY,
    ]
    return inputs.toSorted((left, right) => {
      const [input = 0, edge = 0] = placeOf(left)
      const [otherInput = 0, otherEdge = 0] = placeOf(right)
      return input - otherInput || edge - otherEdge
    })
  }

  /** Whether a node waits for everything that can still arrive. */
  joins(node: string): boolean {
    return hasSeveralInputs(this.nodes.get(node)?.type ?? '')
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

/** The part of a definition that leads to a node: the others do not run if an execution ends there. */
export function upTo<Part extends Drawn>(definition: Part, end: string): Part {
  const graph = new Graph(definition)
  const leads = (id: string) => id === end || graph.reaches(id, end, null)
  const nodes = definition.nodes.filter(({ id }) => leads(id))
  return {
    ...definition,
    nodes,
    edges: definition.edges.filter(({ source, target }) => source !== end && leads(target)),
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

/** Where an execution begins: at the trigger that fired, else at the manual one, else at nodes that nothing leads to. */
export function entriesOf(definition: Definition, { node, trigger }: { node?: string; trigger: string }): string[] {
  if (node !== undefined) return [node]
  const triggers = enabledTriggers(definition)
  const own = triggers.find(({ type }) => type === `trigger.${trigger}`)
  const manual = triggers.find(({ type }) => type === 'trigger.manual')
  const chosen = own ?? manual ?? triggers[0]
  return chosen ? [chosen.id] : rootsOf(definition)
}

/** Every node at which an execution may begin. */
export function allEntries(definition: Definition): string[] {
  const triggers = enabledTriggers(definition)
  return triggers.length > 0 ? triggers.map(({ id }) => id) : rootsOf(definition)
}

const enabledTriggers = ({ nodes }: Definition) =>
  nodes.filter(({ type, disabled }) => !disabled && type.startsWith('trigger.'))

function rootsOf({ nodes, edges }: Definition): string[] {
  const targets = new Set(edges.map(({ target }) => target))
  return nodes.filter(({ id, type }) => type !== 'note' && !targets.has(id)).map(({ id }) => id)
}
