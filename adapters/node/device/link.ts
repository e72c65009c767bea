import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { resultFrame } from '../../../runtime/devices/result.ts'
import { ActionFailed } from './programs.ts'

/** The client's stored state. `received`: the position of the last command, stored before it runs. */
export interface DeviceState {
  url: string
  device_id: string
  device_token: string
  received: number
  /** The daemon's own authority as PEM, which this machine trusts for this connection only. */
  authority?: string
}

export interface LinkOptions {
  state: DeviceState
  save(state: DeviceState): void
  /** Fields of the first frame. */
  about: Record<string, unknown>
  capabilities: readonly string[]
  perform(command: { command: string; params: unknown; signal: AbortSignal }): Promise<unknown>
  health(): Promise<object>
  report(line: { event: string; [field: string]: unknown }): void
  /** Ends the connection permanently. */
  signal: AbortSignal
}

/** The daemon no longer accepts this device, or another client uses its token. */
export class LinkRefused extends Error {
  override name = 'LinkRefused'
}

interface Incoming {
  type: string
  id: string
  seq: number
  command: string
  params: unknown
  timeout_seconds: number
  name: string
  allowed_commands: string[]
  heartbeat_seconds: number
}

const maxPause = 60_000
const silence = 90_000

/** Keeps a device connected: it answers commands, and reconnects with backoff until `signal` aborts. */
export class DeviceLink {
  readonly #options: LinkOptions
  readonly #running = new Map<string, AbortController>()
  /** Results that the daemon has not confirmed. */
  readonly #results = new Map<string, object>()
  #socket: WebSocket | null = null
  #heard_at = 0

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Resolves when `signal` aborts. Rejects with `LinkRefused`. */
  async serve(): Promise<void> {
    const { signal, report } = this.#options
    for (let failures = 0; !signal.aborted; failures += 1) {
      const { code, welcomed } = await this.#connect()
      if (signal.aborted) return
      if (code === 4401) throw new LinkRefused('This device is no longer paired; pair it again')
      if (code === 4409) throw new LinkRefused('Another client connected with this device’s token')
      if (welcomed) failures = 0
      const pause = Math.min(maxPause, 1_000 * 2 ** failures) * (0.8 + randomInt(400) / 1_000)
      report({ event: 'disconnected', code, retry_in_seconds: Math.round(pause / 1_000) })
      await sleep(pause, undefined, { signal }).catch(() => undefined)
    }
  }

  #connect(): Promise<{ code: number; welcomed: boolean }> {
    const { state, signal } = this.#options
    const url = new URL('/api/devices/ws', state.url)
    url.protocol = url.protocol.replace('http', 'ws')
    url.searchParams.set('token', state.device_token)
    const socket = new WebSocket(url)
    this.#socket = socket
    this.#heard_at = Date.now()
    let welcomed = false
    const stop = () => socket.close(1000)
    signal.addEventListener('abort', stop, { once: true })
    const timer = setInterval(() => void this.#beat(welcomed), 30_000)
    socket.addEventListener('open', () => void this.#hello())
    socket.addEventListener('message', ({ data }) => {
      this.#heard_at = Date.now()
      const frame = JSON.parse(String(data)) as Incoming
      if (frame.type === 'welcome') welcomed = true
      this.#receive(frame)
    })
    return new Promise((resolve) => {
      const end = (code: number) => {
        clearInterval(timer)
        signal.removeEventListener('abort', stop)
        if (this.#socket === socket) this.#socket = null
        resolve({ code, welcomed })
      }
      socket.addEventListener('close', ({ code }) => end(code))
      socket.addEventListener('error', () => {
        if (socket.readyState === WebSocket.CLOSED) end(1006)
      })
    })
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }

  async #hello(): Promise<void> {
    const { about, capabilities, health, state } = this.#options
    const measured = await health()
    const running = [...this.#running.keys(), ...this.#results.keys()]
    this.#send({ type: 'hello', ...about, capabilities, health: measured, received: state.received, running })
  }

  async #beat(welcomed: boolean): Promise<void> {
    if (Date.now() - this.#heard_at > silence) return this.#socket?.close(4000)
    if (welcomed) this.#send({ type: 'ping', health: await this.#options.health() })
  }

  #receive(frame: Incoming): void {
    const { report, capabilities } = this.#options
    if (frame.type === 'ping') this.#send({ type: 'pong' })
    if (frame.type === 'command') void this.#run(frame)
    if (frame.type === 'cancel') this.#running.get(frame.id)?.abort()
    if (frame.type === 'received' || frame.type === 'refused') this.#results.delete(frame.id)
    if (frame.type === 'welcome' || frame.type === 'allowed') {
      const waiting = capabilities.filter((one) => !frame.allowed_commands.includes(one))
      report({ event: frame.type === 'welcome' ? 'connected' : 'allowed', name: frame.name, waiting })
    }
    if (frame.type === 'welcome') for (const result of this.#results.values()) this.#send(result)
  }

  async #run({ id, seq, command, params, timeout_seconds }: Incoming): Promise<void> {
    const { state, save, perform, report } = this.#options
    if (seq <= state.received) return
    state.received = seq
    save(state)
    this.#send({ type: 'ack', id })
    const abort = new AbortController()
    this.#running.set(id, abort)
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(timeout_seconds * 1_000)])
    const outcome = await perform({ command, params, signal }).then(
      (output) => ({ ok: true, output }),
      (thrown: unknown) => ({ ok: false, error: messageOf(thrown, signal) }),
    )
    this.#running.delete(id)
    const result = resultFrame(id, outcome)
    report({ event: 'command', id, command, ok: result.ok })
    this.#results.set(id, result)
    this.#send(result)
  }
}

const messageOf = (thrown: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return 'The command was cancelled or took too long'
  return thrown instanceof ActionFailed ? thrown.message : 'The command failed on the device'
}
