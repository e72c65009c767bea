import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DaemonFrame, DeviceClient, type DeviceClientOptions } from '../../../runtime/devices/client.ts'
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

export interface LinkOptions
  extends Pick<DeviceClientOptions, 'save' | 'about' | 'capabilities' | 'perform' | 'health'> {
  state: DeviceState
  report(line: { event: string; [field: string]: unknown }): void
  /** Ends the connection permanently. */
  signal: AbortSignal
}

/** The daemon no longer accepts this device, or another client uses its token. */
export class LinkRefused extends Error {
  override name = 'LinkRefused'
}

const maxPause = 60_000
const silence = 90_000

/** Keeps a device connected: it answers commands, and reconnects with backoff until `signal` aborts. */
export class DeviceLink {
  readonly #options: LinkOptions
  readonly #client: DeviceClient
  #socket: WebSocket | null = null
  #heard_at = 0

  constructor(options: LinkOptions) {
    this.#options = options
    this.#client = new DeviceClient({
      ...options,
      messageOf,
      send: (frame) => this.#send(frame),
      ended: (command) => options.report({ event: 'command', ...command }),
    })
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
    const timer = setInterval(() => {
      if (Date.now() - this.#heard_at > silence) socket.close(4000)
      else if (welcomed) void this.#client.beat()
    }, 30_000)
    socket.addEventListener('open', () => void this.#client.hello())
    socket.addEventListener('message', ({ data }) => {
      this.#heard_at = Date.now()
      const frame = JSON.parse(String(data)) as DaemonFrame
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

  #receive(frame: DaemonFrame): void {
    const { report, capabilities } = this.#options
    this.#client.receive(frame)
    if (frame.type !== 'welcome' && frame.type !== 'allowed') return
    const waiting = capabilities.filter((one) => !frame.allowed_commands.includes(one))
    report(frame.type === 'welcome' ? { event: 'connected', name: frame.name, waiting } : { event: 'allowed', waiting })
  }
}

const messageOf = (thrown: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return 'The command was cancelled or took too long'
  return thrown instanceof ActionFailed ? thrown.message : 'The command failed on the device'
}
