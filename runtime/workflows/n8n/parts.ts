import { credentialOf } from './credentials.ts'
import type { File, Node } from './file.ts'
import { typeName } from './nodes.ts'
import type { Part } from './translating.ts'

/** The nodes that belong to others by their connections, such as models and tools to agents. */
export class Parts {
  /** Those that another node contains now. */
  readonly used = new Set<string>()
  readonly #of = new Map<string, { kind: string; node: Node }[]>()
  readonly #belonging = new Set<string>()

  constructor({ nodes, connections }: Pick<File, 'nodes' | 'connections'>) {
    const byName = new Map(nodes.map((node) => [node.name, node]))
    for (const [name, kinds] of Object.entries(connections))
      for (const [kind, outputs] of Object.entries(kinds)) {
        const node = byName.get(name)
        if (!node || !kind.startsWith('ai_')) continue
        for (const target of outputs.flatMap((targets) => targets ?? [])) {
          this.#belonging.add(name)
          this.#of.set(target.node, [...(this.#of.get(target.node) ?? []), { kind, node }])
        }
      }
  }

  belongs(name: string): boolean {
    return this.#belonging.has(name)
  }

  /** The parts of a node. Those that it uses are added to `used`. Depth is limited, because nodes may belong to each other. */
  of(name: string, used: Set<string>, depth = 5): Part[] {
    if (depth === 0) return []
    return (this.#of.get(name) ?? []).map(({ kind, node }) => ({
      kind,
      name: node.name,
      type: typeName(node.type),
      parameters: node.parameters,
      has_credential: credentialOf(node) !== null,
      parts: this.of(node.name, used, depth - 1),
      use: () => void used.add(node.name),
    }))
  }

  use(names: Iterable<string>): void {
    for (const name of names) this.used.add(name)
  }
}
