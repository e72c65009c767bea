/**
 * The parts of the workerd API that hearthd uses.
 * https://developers.cloudflare.com/durable-objects/api/storage-api
 */
export interface ObjectStorage {
  sql: SqlStorage
  /** Commits when `run` returns, rolls back when it throws. */
  transactionSync<Result>(run: () => Result): Result
  /** One alarm per object; a new one replaces it. Milliseconds since the epoch. */
  setAlarm(at: number): Promise<void>
}

/** SQLite inside the object. What it wrote is confirmed before any answer, frame or request leaves the object. */
export interface SqlStorage {
  exec(sql: string, ...args: (string | number | null | Uint8Array)[]): SqlCursor
  /** Bytes. */
  readonly databaseSize: number
}

export interface SqlCursor {
  readonly columnNames: string[]
  toArray(): Record<string, string | number | null | ArrayBuffer>[]
}

export interface ObjectState {
  /** `name`: what the object was addressed by, in alarms too. */
  id: { name?: string }
  storage: ObjectStorage
  /** The platform holds the socket while the object sleeps, and wakes it with `webSocketMessage` and the like. */
  acceptWebSocket(socket: ServerSocket): void
  getWebSockets(): ServerSocket[]
}

/** The static assets of the Worker. */
export interface Assets {
  fetch(request: Request): Promise<Response>
}

export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

/** The end of a WebSocket pair that stays here. */
export interface ServerSocket extends WebSocket {
  accept(): void
  /** Kept while the object sleeps. At most 16 KiB. */
  serializeAttachment(value: unknown): void
  deserializeAttachment(): unknown
}
