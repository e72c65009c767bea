/** What can be ended from outside: an open socket or stream. */
export interface Connection {
  /** Key or session id that opened it. */
  credential: string | null
  end(code: number, reason: string): void
}

/** The open sockets and streams of this process, so that a revoked credential ends its own at once. */
export class LiveConnections {
  readonly #open = new Set<Connection>()

  /** Returns the function that takes it out again. */
  add(connection: Connection): () => void {
    this.#open.add(connection)
    return () => this.#open.delete(connection)
  }

  /** Ends everything that a credential had opened. */
  endOf(credential: string): void {
    for (const connection of [...this.#open]) {
      if (connection.credential === credential) connection.end(4401, 'The credential is no longer valid')
    }
  }

  endAll(code: number, reason: string): void {
    for (const connection of [...this.#open]) connection.end(code, reason)
  }

  get size(): number {
    return this.#open.size
  }
}
