import type { Clock } from '../../runtime/ports/clock.ts'
import { unlessAborted } from '../../runtime/within.ts'

export interface Pooled {
  /** False after it was closed, or if it cannot be used again. */
  isUsable(): boolean
  close(): void
}

interface Members<Connection> {
  free: Connection[]
  count: number
  waiting: (() => void)[]
  idle: AbortController
}

interface PoolSettings {
  clock: Clock
  /** Milliseconds without use after which a connection is closed. */
  idle_ms: number
  /** Connections to one server. */
  max: number
}

/** Connections by server. One is used by one task at a time, kept for the next, and closed when it is idle. */
export class ConnectionPool<Connection extends Pooled> {
  readonly #settings: PoolSettings
  readonly #members = new Map<string, Members<Connection>>()
  readonly #open = new Set<Connection>()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Open connections. */
  get size(): number {
    return this.#open.size
  }

  async use<Result>(
    key: string,
    open: () => Promise<Connection>,
    { task, signal }: { task: (connection: Connection) => Promise<Result>; signal: AbortSignal },
  ): Promise<Result> {
    signal.throwIfAborted()
    const members = this.#of(key)
    await this.#turn(members, signal)
    try {
      const connection = this.#reusable(members) ?? (await open())
      this.#open.add(connection)
      try {
        // A server that is gone does not say that it has cancelled the task.
        return await unlessAborted(task(connection), signal)
      } finally {
        if (connection.isUsable() && !signal.aborted) members.free.push(connection)
        else this.#close(connection)
      }
    } finally {
      members.count -= 1
      members.waiting.shift()?.()
      if (members.count === 0) this.#closeWhenIdle(key, members)
    }
  }

  close(): void {
    for (const { idle } of this.#members.values()) idle.abort()
    for (const connection of this.#open) this.#close(connection)
    this.#members.clear()
  }

  #of(key: string): Members<Connection> {
    const members = this.#members.get(key) ?? { free: [], count: 0, waiting: [], idle: new AbortController() }
    this.#members.set(key, members)
    return members
  }

  /** Waits while as many connections as there may be are in use. */
  async #turn(members: Members<Connection>, signal: AbortSignal): Promise<void> {
    while (members.count >= this.#settings.max) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        members.waiting = members.waiting.filter((other) => other !== resolve)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      members.waiting.push(resolve)
      await promise.finally(() => signal.removeEventListener('abort', leave))
    }
    members.count += 1
    members.idle.abort()
  }

  #reusable(members: Members<Connection>): Connection | undefined {
    for (let one = members.free.pop(); one; one = members.free.pop()) {
      if (one.isUsable()) return one
      this.#close(one)
    }
    return undefined
  }

  #close(connection: Connection): void {
    this.#open.delete(connection)
    connection.close()
  }

  #closeWhenIdle(key: string, members: Members<Connection>): void {
    members.idle = new AbortController()
    this.#settings.clock.after(this.#settings.idle_ms, members.idle.signal).then(
      () => {
        for (const one of members.free.splice(0)) this.#close(one)
        this.#members.delete(key)
      },
      () => undefined,
    )
  }
}
