import type { Clock } from '../../runtime/ports/clock.ts'
import type { Log } from '../../runtime/ports/log.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import {
  type ConnectOptions,
  type LinkListener,
  type LinkState,
  type LinkStatus,
  type ServerCall,
  type ServerResult,
  type ServerTool,
  type ToolServerAddress,
  ToolServerError,
} from '../../runtime/ports/tool-servers.ts'
import { unlessAborted } from '../../runtime/within.ts'
import { isAnswer, isSessionLost, maskFor, reasonOf } from './results.ts'
import { Session } from './session.ts'

export interface LinkSettings {
  clock: Clock
  log: Log
  outbound: Outbound
  version: string
  /** Called after each change of the state. */
  onChange?: LinkListener
}

const second = 1_000
const maxPause = 60 * second
/** Attempts after which it waits for the next call. */
const maxAttempts = 10
/** Milliseconds after which a connection counts as stable: the next loss starts with a short pause. */
const stableAfter = 60 * second

/** Milliseconds before attempt `attempt` (from 1): 1, 2, 4 … 60 s. */
export const pauseBefore = (attempt: number): number => Math.min(2 ** (attempt - 1) * second, maxPause)

/** The connection to one server, which is restored when it is lost. */
export class Link {
  readonly address: ToolServerAddress
  readonly #id: string
  readonly #settings: LinkSettings
  readonly #mask: <Value>(value: Value) => Value
  readonly #ended = new AbortController()
  #session: Session | null = null
  #opening: Promise<Session> | null = null
  #state: LinkState = 'idle'
  #since: number | null = null
  #attempts = 0
  #nextTry: number | null = null
  #error: string | null = null
  #stderr = ''

  constructor(id: string, address: ToolServerAddress, settings: LinkSettings) {
    this.#id = id
    this.address = address
    this.#settings = settings
    this.#mask = maskFor(address)
  }

  get tools(): readonly ServerTool[] | null {
    return this.#session ? this.#mask(this.#session.tools) : null
  }

  get status(): LinkStatus {
    return {
      state: this.#state,
      since: this.#since,
      attempts: this.#attempts,
      next_try_at: this.#nextTry,
      last_error: this.#error,
      stderr: this.#mask(this.#session?.stderr ?? this.#stderr),
    }
  }

  /** Connects now, even during a retry delay. Throws `ToolServerError`, or the reason of the signal. */
  async connect({ signal, max_age_seconds = 0 }: ConnectOptions): Promise<void> {
    const session = this.#session
    if (!session) return this.#reconnect(signal)
    const { clock } = this.#settings
    if (clock.now() - session.listed_at < max_age_seconds * second) return
    try {
      await unlessAborted(session.list(), signal)
    } catch (thrown) {
      signal.throwIfAborted()
      if (isSessionLost(thrown)) return this.#renew(signal)
      if (!isAnswer(thrown)) this.#lost(thrown as Error)
      throw new ToolServerError(this.#mask(reasonOf(thrown)))
    }
  }

  /** The server no longer knows the session, for example after a restart. */
  async #renew(signal: AbortSignal): Promise<void> {
    await this.#drop()
    await this.#reconnect(signal)
  }

  async #reconnect(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'restarting') this.#become('connecting')
    await unlessAborted(this.#open(), signal)
  }

  /** Concurrent callers wait for the same connection. */
  #open(): Promise<Session> {
    this.#opening ??= this.#openOne().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #openOne(): Promise<Session> {
    const { clock, outbound, version } = this.#settings
    const { signal } = this.#ended
    const onLost = (error: Error) => this.#lost(error)
    const session = new Session({ address: this.address, clock, outbound, version, signal, onLost })
    try {
      await session.start()
      if (signal.aborted) await session.close()
      signal.throwIfAborted()
    } catch (thrown) {
      this.#stderr = session.stderr
      this.#error = this.#mask(reasonOf(thrown))
      if (this.#state === 'connecting') this.#become('failed')
      throw new ToolServerError(this.#error)
    }
    this.#session = session
    this.#error = null
    this.#become('connected')
    return session
  }

  async call(call: ServerCall): Promise<ServerResult> {
    const { ask } = call
    const masked: ServerCall = {
      ...call,
      onProgress: (line) => call.onProgress(this.#mask(line)),
      ...(ask && { ask: (question, signal) => ask(this.#mask(question), signal) }),
    }
    try {
      return this.#mask(await this.#callOnce(masked))
    } catch (thrown) {
      call.signal.throwIfAborted()
      throw new ToolServerError(this.#mask(reasonOf(thrown)))
    }
  }

  async #callOnce(call: ServerCall, again = true): Promise<ServerResult> {
    if (!this.#session) await this.#reconnect(call.signal)
    const session = this.#session
    if (!session) throw new ToolServerError('The connection was lost')
    try {
      return await session.call(call)
    } catch (thrown) {
      call.signal.throwIfAborted()
      if (isAnswer(thrown)) throw thrown
      if (!again || !isSessionLost(thrown) || this.#session !== session) {
        this.#lost(thrown as Error)
        throw new ToolServerError(`${this.#error ?? reasonOf(thrown)}. It may or may not have taken effect`)
      }
      await this.#renew(call.signal)
      return this.#callOnce(call, false)
    }
  }

  #lost(error: Error): void {
    if (this.#ended.signal.aborted || !this.#session) return
    this.#error = this.#mask(reasonOf(error))
    const { clock, log } = this.#settings
    if (clock.now() - (this.#since ?? 0) >= stableAfter) this.#attempts = 0
    log.write('warn', 'the connection to a tool server was lost', { server: this.#id, reason: this.#error })
    void this.#drop()
    this.#become('restarting')
    this.#restart().catch(() => undefined)
  }

  async #drop(): Promise<void> {
    const session = this.#session
    this.#stderr = session?.stderr ?? ''
    this.#session = null
    await session?.close()
  }

  async #restart(): Promise<void> {
    const { clock, log } = this.#settings
    while (!this.#session) {
      this.#attempts += 1
      if (this.#attempts > maxAttempts) {
        log.write('error', 'a tool server failed repeatedly; no more retries', {
          server: this.#id,
          reason: this.#error,
        })
        return this.#become('failed')
      }
      const pause = pauseBefore(this.#attempts)
      this.#nextTry = clock.now() + pause
      await clock.after(pause, this.#ended.signal)
      if (!this.#session) await this.#open().catch(() => undefined)
    }
  }

  #become(state: LinkState): void {
    if (this.#ended.signal.aborted) return
    this.#state = state
    this.#since = this.#settings.clock.now()
    this.#nextTry = null
    this.#settings.onChange?.(this.#id, state)
  }

  /** Kills a process at once, without waiting. */
  kill(): void {
    this.#session?.kill()
  }

  async close(): Promise<void> {
    this.#ended.abort(new ToolServerError('It was disconnected'))
    const opening = this.#opening
    await Promise.all([this.#drop(), opening?.catch(() => undefined)])
    this.#state = 'idle'
  }
}
