export type Fields = Record<string, unknown>

/** A node of n8n, and what its translation may use. */
export interface Translating {
  parameters: Fields
  /** The node type, without the package. */
  name: string
  version: number
  has_credential: boolean
  /** The nodes that belong to it, such as its model and tools. */
  parts: readonly Part[]
  report(field: string, message: string, original?: unknown): void
}

/** A node that is part of another one. */
export interface Part extends Pick<Translating, 'parameters' | 'name' | 'has_credential' | 'parts'> {
  /** Of the connection, such as `ai_tool`. */
  kind: string
  /** The node type, without the package. */
  type: string
  /** Says that the other node contains it now, so that it is no node of its own. */
  use(): void
}

/** The node of a workflow that it becomes. */
export interface Translated {
  type: string
  params: Fields
  /** The output, or several, for each output index of n8n. Default: `main`. */
  outputs?: readonly (string | readonly string[])[]
  /** Default: what is usual for the type. */
  input_mode?: 'item' | 'list'
  /** How fast it runs for the items of a list. Default: one after the other. */
  pace?: { concurrency: number; pause_seconds: number }
}

export type Translate = (node: Translating) => Translated
