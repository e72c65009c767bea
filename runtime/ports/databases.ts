/** A database that a person configured. */
export interface DatabaseServer {
  engine: 'postgres' | 'mysql' | 'redis' | 'sqlite'
  host: string
  port: number
  /** The name of the database; for `sqlite` the path of its file; for `redis` its number, or empty. */
  database: string
  username: string
  password: string
  /** `unchecked` encrypts without checking the certificate. */
  tls: 'none' | 'unchecked' | 'checked'
  /** An administrator named it, so it may be on this machine or on a private network. */
  is_trusted: boolean
}

/** One statement of SQL with the placeholders of its engine. Values are JSON. */
export interface DatabaseStatement {
  text: string
  values: readonly unknown[]
}

export interface DatabaseRun {
  /** In one transaction, unless it is a single one. */
  statements: readonly DatabaseStatement[]
  /** The database refuses every change. */
  read_only: boolean
  /** Rows beyond these are not read. */
  max_rows: number
  /** Integers of 64 bits as texts; otherwise those that a number cannot hold. */
  long_as_text: boolean
}

export interface DatabaseResult {
  /** Of all statements, as JSON: times in ISO 8601, bytes in Base64, exact decimals as texts. */
  rows: Record<string, unknown>[]
  /** Rows that were changed. */
  changed: number
}

/** The name of a command and its arguments. */
export type RedisCommand = readonly string[]

interface Certainty {
  /** It is known what happened: nothing was sent, or the server has answered. */
  definite: boolean
  /** Another attempt would fail as well. */
  permanent: boolean
}

/** A database did not do what it was asked for. `message` names the server and the reason, and never the password. */
export class DatabaseError extends Error {
  override name = 'DatabaseError'
  readonly definite: boolean
  readonly permanent: boolean

  constructor(message: string, { definite, permanent }: Certainty) {
    super(message)
    this.definite = definite
    this.permanent = permanent
  }
}

/**
 * Databases of other programs. Connections go to checked addresses, are reused, and are closed when they are idle. An
 * aborted signal cancels what runs on the server. Rejects with `DatabaseError`, the reason of the signal, or `OutboundBlocked`.
 */
export interface Databases {
  run(server: DatabaseServer, run: DatabaseRun, signal: AbortSignal): Promise<DatabaseResult>
  /** The replies to commands of Redis, several as one transaction: texts, numbers, null and lists of them. */
  command(server: DatabaseServer, commands: readonly RedisCommand[], signal: AbortSignal): Promise<unknown[]>
}
