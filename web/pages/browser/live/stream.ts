import type { Api } from '../../../api/client.ts'
import { type LiveInput, type LiveMessage, type LiveState, type LoggedAct, logged } from './messages.ts'

export interface LiveView {
  connected: boolean
  /** Null until the daemon has told. */
  state: LiveState | null
  /** The newest first. */
  acts: readonly LoggedAct[]
  /** Why the last input of a person was not taken. */
  refused: { code: string; message: string } | null
}

/** Milliseconds until the next try, doubled each time. */
const firstDelay = 500
const longestDelay = 15_000

/** The socket of the live view. It rests while nobody can see the page, and comes back by itself. */
export class LiveStream {
  readonly #api: Api
  readonly #watchers = new Set<() => void>()
  readonly #painters = new Set<(frame: Blob) => void>()
  #view: LiveView = { connected: false, state: null, acts: [], refused: null }
  #frame: Blob | null = null
  #socket: WebSocket | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  #opening = false
  #wanted = false
  #taken = false
  #tries = 0

  constructor(api: Api) {
    this.#api = api
  }

  readonly view = (): LiveView => this.#view

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Called with each picture, first with the last one. */
  paint(painter: (frame: Blob) => void): () => void {
    this.#painters.add(painter)
    if (this.#frame) painter(this.#frame)
    return () => this.#painters.delete(painter)
  }

  send(input: LiveInput): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    this.#socket.send(JSON.stringify({ type: 'input', input }))
  }

  /** Takes the page, so that agents wait, or lets go of it. It is taken again when the socket comes back. */
  take(on: boolean): void {
    this.#taken = on
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: 'take', on }))
  }

  forgetRefusal(): void {
    if (this.#view.refused) this.#change({ refused: null })
  }

  /** Returns how to stop. */
  start(): () => void {
    this.#wanted = true
    void this.#open()
    // Who has the page may look something up in another tab, and still has it.
    const seen = () => {
      if (document.visibilityState !== 'hidden') void this.#open()
      else if (!this.#taken) this.#rest()
    }
    document.addEventListener('visibilitychange', seen)
    return () => {
      document.removeEventListener('visibilitychange', seen)
      this.#wanted = false
      this.#rest()
    }
  }

  async #open(): Promise<void> {
    clearTimeout(this.#timer)
    if (!this.#wanted || this.#socket || this.#opening) return
    this.#opening = true
    try {
      const { ticket } = await this.#api.post<{ ticket: string }>('/api/auth/ws-ticket')
      this.#opening = false
      if (this.#wanted && document.visibilityState !== 'hidden')
        this.#attach(new WebSocket(addressOf(ticket)))
    } catch {
      this.#opening = false
      this.#again()
    }
  }

  #attach(socket: WebSocket): void {
    this.#socket = socket
    socket.binaryType = 'blob'
    socket.onopen = () => {
      this.#tries = 0
      this.#change({ connected: true })
      if (this.#taken) this.take(true)
    }
    socket.onmessage = ({ data }: MessageEvent<Blob | string>) =>
      typeof data === 'string' ? this.#hear(JSON.parse(data) as LiveMessage) : this.#show(data)
    socket.onclose = () => {
      if (this.#socket !== socket) return
      this.#socket = null
      this.#change({ connected: false })
      this.#again()
    }
  }

  #again(): void {
    if (!this.#wanted) return
    const delay = Math.min(longestDelay, firstDelay * 2 ** this.#tries++)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#open(), delay)
  }

  #rest(): void {
    clearTimeout(this.#timer)
    const socket = this.#socket
    this.#socket = null
    socket?.close()
    this.#change({ connected: false })
  }

  #show(frame: Blob): void {
    this.#frame = frame
    for (const painter of this.#painters) painter(frame)
  }

  #hear(message: LiveMessage): void {
    if (message.type === 'state') this.#know(message)
    else if (message.type === 'error') this.#change({ refused: message })
    else this.#change({ acts: logged(this.#view.acts, message, Date.now()) })
  }

  #know(state: LiveState): void {
    if (!state.running) this.#frame = null
    this.#change({ state })
  }

  #change(change: Partial<LiveView>): void {
    this.#view = { ...this.#view, ...change }
    for (const watcher of this.#watchers) watcher()
  }
}

function addressOf(ticket: string): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}/api/browser/stream?token=${encodeURIComponent(ticket)}`
}
