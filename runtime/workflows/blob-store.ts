import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Sql } from '../table.ts'

/** Bytes of JSON up to which a value is stored in its row; a larger one is stored once, and rows have a reference to it. */
export const maxInline = 256 * 1024

/** Bytes in a row of a large value. A Durable Object stores at most 2 MB in one. */
const pieceBytes = 1024 * 1024

/** Characters of a value shown in a list. */
const maxPreview = 200

/** A value as it is stored and passed on. Nothing changes it. */
export interface Value {
  /** What rows have: its JSON or, if it is large, a reference. */
  readonly stored: string
  /** Bytes as JSON; characters if it is small. */
  readonly size: number
  readonly value: unknown
  /** The JSON of a large value until it is stored. */
  content?: Uint8Array
}

export const none: Value = { stored: 'null', size: 4, value: null }

// A reference begins with a character that no JSON begins with. It has the hash, the size and the first characters, so
// that lists read nothing else, and equal values have equal references. The schema knows where the hash is.

const isReference = (stored: string): boolean => stored.startsWith('@')

const hashOf = (reference: string): string => reference.slice(1, 65)

/** The same in SQL. */
const refers = (column: string) => `${column} >= '@' AND ${column} < 'A'`

/** Characters or bytes of a stored value, in SQL. */
export const sizeOf = (column: string) =>
  `iif(${refers(column)}, CAST(substr(${column}, 66, 12) AS INTEGER), length(${column}))`

/** The size and first characters of a stored value, in SQL. */
export const excerptOf = (column: string, name: 'input' | 'output') =>
  `${sizeOf(column)} AS ${name}_size, substr(${column}, iif(${refers(column)}, 78, 1), ${maxPreview}) AS ${name}_preview`

/** The references that an execution has, in SQL. */
export const referencesOf = (id: string) =>
  (
    [
      ['workflow_executions', 'id', 'input'],
      ['workflow_executions', 'id', 'output'],
      ['workflow_node_runs', 'execution_id', 'input'],
      ['workflow_node_runs', 'execution_id', 'output'],
    ] as const
  )
    .map(([table, key, column]) => `SELECT ${column} AS value FROM ${table} WHERE ${key} = ${id} AND ${refers(column)}`)
    .join(' UNION ')

/** How a value with this JSON is stored. */
export function encoded({ secrets }: Pick<Host, 'secrets'>, json: string): Omit<Value, 'value'> {
  const inline = { stored: json, size: json.length }
  // A character has at most three bytes.
  if (json.length <= maxInline / 3) return inline
  const content = new TextEncoder().encode(json)
  const size = content.length
  if (size <= maxInline) return inline
  const preview = json.slice(0, maxPreview).toWellFormed()
  return { stored: `@${secrets.sha256(json)}${String(size).padStart(12, '0')}${preview}`, size, content }
}

/** The value with this JSON. */
export const valueFrom = (host: Pick<Host, 'secrets'>, json: string): Value => ({
  ...encoded(host, json),
  value: JSON.parse(json) as unknown,
})

/** Levels of lists and objects in the beginning of a value. */
const maxDepth = 100

/** The first items, fields and characters of a value, together about as much as a small one has. */
export function beginningOf(value: unknown): { value: unknown; isCut: boolean } {
  let left = maxInline
  let isCut = false
  const isFull = () => {
    isCut ||= left <= 0
    return left <= 0
  }
  const take = (part: unknown, depth: number): unknown => {
    left -= 4
    if (typeof part === 'string') {
      const text = part.slice(0, Math.max(0, left))
      left -= part.length
      return isFull() && text !== part ? `${text}…` : part
    }
    if (typeof part !== 'object' || part === null) return part
    if (depth === maxDepth) left = 0
    const fields: [string, unknown][] = []
    for (const [name, member] of Object.entries(part)) {
      if (isFull()) break
      left -= name.length
      fields.push([name, take(member, depth + 1)])
    }
    return Array.isArray(part) ? fields.map(([, member]) => member) : Object.fromEntries(fields)
  }
  return { value: take(value, 0), isCut }
}

/** The values to answer: whole or, if `short`, the beginnings of those that are large. */
export function shownValues(values: { input: Value; output: Value }, short: boolean) {
  const shown = { input: values.input.value, output: values.output.value, shortened: [] as ('input' | 'output')[] }
  for (const name of ['input', 'output'] as const) {
    if (!short || values[name].size <= maxInline) continue
    const { value, isCut } = beginningOf(values[name].value)
    shown[name] = value
    if (isCut) shown.shortened.push(name)
  }
  return shown
}

/** Stores the content of a large value that is not stored yet. */
export function storeContent({ stored, content }: Value): Statement[] {
  if (!content) return []
  const pieces = Array.from({ length: Math.ceil(content.length / pieceBytes) }, (_, piece) =>
    content.slice(piece * pieceBytes, (piece + 1) * pieceBytes),
  )
  return pieces.map((bytes, piece) => ({
    sql: 'INSERT OR IGNORE INTO workflow_blobs (sha256, piece, bytes) VALUES (?, ?, ?)',
    args: [hashOf(stored), piece, bytes],
  }))
}

/** The JSON of a stored value. */
export async function loadJson({ sql }: Sql, stored: string): Promise<string> {
  if (!isReference(stored)) return stored
  const query = 'SELECT bytes FROM workflow_blobs WHERE sha256 = ? ORDER BY piece'
  const pieces = await sql.read<{ bytes: Uint8Array }>(query, [hashOf(stored)])
  if (pieces.length === 0) throw new Error(`The content of ${hashOf(stored)} is missing`)
  const decoder = new TextDecoder()
  return pieces.map(({ bytes }) => decoder.decode(bytes, { stream: true })).join('') + decoder.decode()
}

/** A stored value; of a row without one, null. */
export async function loadValue(host: Sql, stored: string | null): Promise<Value> {
  const json = await loadJson(host, stored ?? 'null')
  const size = stored !== null && isReference(stored) ? Number(stored.slice(65, 77)) : json.length
  return { stored: stored ?? 'null', size, value: JSON.parse(json) as unknown }
}

/** Loads values of which several rows may have the same one: a large one is read once. */
export function valueLoader(host: Sql, loaded: readonly Value[]): (stored: string | null) => Promise<Value> {
  const large = new Map(loaded.filter(({ stored }) => isReference(stored)).map((value) => [value.stored, value]))
  return async (stored) => {
    const value = large.get(stored ?? '') ?? (await loadValue(host, stored))
    if (isReference(value.stored)) large.set(value.stored, value)
    return value
  }
}
