import type { Api } from './client.ts'
import type { SessionStore } from './session.ts'

/** A frame of `/ws/events`. `resync` says that events were missed and everything must be read afresh. */
export interface BusEvent {
  type: string
  seq: number
  ts: string
  data: Record<string, unknown>
}

export type BusState = 'live' | 'connecting' | 'offline'
export type BusListener = (event: BusEvent) => void

export interface Bus {
  state(): BusState
  /** Told when `state()` changes. */
  watch(listener: () => void): () => void
  /** Hears events whose type begins with one of `prefixes` (`'message.'`), and every `resync`. */
  listen(prefixes: readonly string[], listener: BusListener): () => void
  start(): void
  stop(): void
}

/** Milliseconds between two tries: doubled each time, with a random part so that tabs do not come at once. */
const firstDelay = 500
const longestDelay = 15_000

/** The event bus over one socket that comes back by itself and asks for what it missed. */
export function createBus(api: Api, session: SessionStore): Bus {
  const watchers = new Set<() => void>()
  const listeners = new Map<BusListener, readonly string[]>()
  let state: BusState = 'offline'
  let socket: WebSocket | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let wanted = false
  let tries = 0
  let lastSeq: number | undefined

  const become = (next: BusState) => {
    if (state === next) return
    state = next
    for (const watcher of watchers) watcher()
  }
  const tell = (event: BusEvent) => {
    for (const [listener, prefixes] of listeners) {
      if (event.type === 'resync' || prefixes.some((prefix) => event.type.startsWith(prefix))) listener(event)
    }
  }
  const again = () => {
    socket = null
    if (!wanted) return become('offline')
    become(tries < 2 ? 'connecting' : 'offline')
    const delay = Math.min(longestDelay, firstDelay * 2 ** tries++) * (0.5 + Math.random() / 2)
    clearTimeout(timer)
    timer = setTimeout(connect, delay)
  }
  const opened = (opening: WebSocket) => {
    tries = 0
    opening.send(
      JSON.stringify({
        type: 'subscribe',
        types: ['*'],
        ...(lastSeq !== undefined && { since_seq: lastSeq }),
      }),
    )
    become('live')
  }
  const received = (text: string) => {
    const event = JSON.parse(text) as BusEvent
    if (typeof event.seq === 'number') lastSeq = event.seq
    tell(event)
  }
  const connect = async () => {
    if (!wanted || socket || !session.get()) return
    try {
      const { ticket } = await api.post<{ ticket: string }>('/api/auth/ws-ticket')
      if (!wanted || socket) return
      const opening = new WebSocket(addressOf(ticket))
      socket = opening
      opening.onopen = () => opened(opening)
      opening.onmessage = (message) => received(String(message.data))
      opening.onclose = () => socket === opening && again()
    } catch {
      again()
    }
  }
  const hurry = () => {
    if (!wanted || socket || document.visibilityState === 'hidden') return
    clearTimeout(timer)
    tries = 0
    void connect()
  }
  addEventListener('online', hurry)
  document.addEventListener('visibilitychange', hurry)

  return {
    state: () => state,
    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    listen(prefixes, listener) {
      listeners.set(listener, prefixes)
      return () => listeners.delete(listener)
    },
    start() {
      wanted = true
      become('connecting')
      void connect()
    },
    stop() {
      wanted = false
      clearTimeout(timer)
      socket?.close()
      socket = null
      lastSeq = undefined
      become('offline')
    },
  }
}

function addressOf(ticket: string): string {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}/ws/events?token=${encodeURIComponent(ticket)}`
}
