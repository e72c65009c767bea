import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import {
  DatabaseError,
  type DatabaseResult,
  type DatabaseRun,
  type DatabaseServer,
} from '../../runtime/ports/databases.ts'
import type { Pooled } from './pool.ts'

/** A connection that runs SQL. */
export interface SqlConnection extends Pooled {
  run(run: DatabaseRun, signal: AbortSignal): Promise<DatabaseResult>
}

/** What a connection is opened with. If the sign-in is cancelled or takes too long, the socket is destroyed. */
export interface Opening {
  server: DatabaseServer
  /** A new connection to a checked address of the server. */
  connect(): Promise<Socket>
}

/** Characters that the rows of a result may have as JSON, about; also the bytes of a reply. */
export const maxCharacters = 32_000_000

export const tooLarge = (): DatabaseError =>
  new DatabaseError('The result is too large: ask for fewer rows or columns', { definite: true, permanent: true })

export const tlsOptions = ({ host, tls }: DatabaseServer): ConnectionOptions | null =>
  tls === 'none' ? null : { servername: /^[\d.]+$|:/.test(host) ? '' : host, rejectUnauthorized: tls === 'checked' }

/** Collects rows as JSON, up to a number and a size. */
export class Rows {
  readonly rows: Record<string, unknown>[] = []
  readonly #max: number
  #characters = 0

  constructor({ max_rows }: DatabaseRun) {
    this.#max = max_rows
  }

  get isFull(): boolean {
    return this.rows.length >= this.#max
  }

  add(row: Readonly<Record<string, unknown>>): void {
    if (this.isFull) return
    const own = Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        const plain = jsonValue(value)
        this.#characters += name.length + (typeof plain === 'object' ? JSON.stringify(plain) : String(plain)).length
        return [name, plain]
      }),
    )
    if (this.#characters > maxCharacters) throw tooLarge()
    this.rows.push(own)
  }
}

function jsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (typeof value === 'bigint') return String(value)
  return value ?? null
}
