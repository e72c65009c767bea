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

/** A node that runs for each item. */
export const each = (type: string, params: Fields): Translated => ({ type, params, input_mode: 'item' })

/** A node that takes its input whole. */
export const list = (type: string, params: Fields): Translated => ({ type, params, input_mode: 'list' })

export type Translate = (node: Translating) => Translated

/** Thrown for a node that has no equivalent with these parameters. */
export class NotExact extends Error {
  override name = 'NotExact'
}

/** Reports options that have no equivalent. */
export function skipped(node: Translating, field: string, options: unknown, except: readonly string[] = []) {
  for (const [name, value] of Object.entries((options ?? {}) as Fields))
    if (!except.includes(name)) node.report(`${field}.${name}`, 'was skipped', value)
}

/** The names in a text, which commas separate, or in a list. */
export const commaSeparated = (names: unknown): string[] =>
  (Array.isArray(names) ? names : String(names ?? '').split(',')).flatMap((name) => String(name).trim() || [])

/** The members of a list of n8n, which has a name within the parameter, as in `{values: [ … ]}`. */
export function listOf(parameter: unknown): Fields[] {
  const [list = []] = Object.values((parameter ?? {}) as Record<string, unknown>).filter(Array.isArray)
  return list
}
