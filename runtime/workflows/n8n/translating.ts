import type { NodeIds } from './script.ts'

export type Fields = Record<string, unknown>

/** A node of n8n, and what its translation may use. */
export interface Translating {
  parameters: Fields
  /** The node type, without the package. */
  name: string
  version: number
  /** Instead of no items it returns an empty one. */
  always_output: boolean
  /** All nodes of the file. */
  named: NodeIds
  /** A value with its expressions translated; one that cannot be is reported and kept as text. */
  value(field: string, given: unknown): unknown
  /** A JSON text as a value, with its expressions translated; undefined if it is not JSON. */
  json(field: string, given: unknown): unknown
  /** A value as a JSONata expression. */
  expression(given: unknown): string
  report(field: string, message: string, original?: unknown): void
}

/** The node of a workflow that it becomes. */
export interface Translated {
  type: string
  params: Fields
  /** The output, or several, for each output index of n8n. Default: `main`. */
  outputs?: readonly (string | readonly string[])[]
}

export type Translate = (node: Translating) => Translated

/** Reports options that have no equivalent. */
export function skipped(node: Translating, field: string, options: unknown, except: readonly string[] = []) {
  for (const [name, value] of Object.entries((options ?? {}) as Fields))
    if (!except.includes(name)) node.report(`${field}.${name}`, 'was skipped', value)
}
