export interface Connection {
  /** Id of the key or session that opened the connection. */
  credential: string | null
  end(code: number, reason: string): void
}

/** The open sockets and streams of this process. Revoking a credential closes its connections at once. */
export class LiveConnections {
  readonly #open = new Set<Connection>()

  add(connection: Connection): () => void {
    this.#open.add(connection)
    return () => this.#open.delete(connection)
  }

  endOf(credential: string): void {
    for (const connection of [...this.#open]) {
      if (connection.credential === credential) connection.end(4401, 'The credential is no longer valid')
    }
  }

  /** Ids of the credentials that have connections. */
  get credentials(): string[] {
    return [...new Set([...this.#open].flatMap(({ credential }) => credential ?? []))]
  }

  endAll(code: number, reason: string): void {
    for (const connection of [...this.#open]) connection.end(code, reason)
  }

  get size(): number {
    return this.#open.size
  }
}
