import ReconnectingWebSocket from 'partysocket/ws'
import type { Event } from '../../runtime/events/event.ts'
import type { Api } from './client.ts'
import { isAnswering } from './is-answering.ts'

/** Events were missed, so everything must be read again. */
interface Resync {
  type: 'resync'
  seq: number
  data: Record<never, never>
}

/** Whether the daemon reaches its database server. */
interface Store {
  type: 'store'
  data: { reachable: boolean }
}

/** A frame of `/ws/events`. */
export type BusEvent = Event | Resync

/** The events whose type begins with a prefix (`'message.'`), and `resync`. */
export type EventsOf<Prefix extends string> = Extract<BusEvent, { type: `${Prefix}${string}` | 'resync' }>

export type BusState = 'live' | 'connecting' | 'offline' | 'stranded'
type BusListener = (event: BusEvent) => void

export interface Bus {
  state(): BusState
  /** Calls `listener` when `state()` changes. */
  watch(listener: () => void): () => void
  /** Calls `listener` for events whose type begins with one of `prefixes`, and for every `resync`. */
  listen<const Prefix extends string>(
    prefixes: readonly Prefix[],
    listener: (event: EventsOf<Prefix>) => void,
  ): () => void
  start(): void
  stop(): void
}

/**
 * Milliseconds between two attempts: doubled each time; the random part keeps tabs from connecting at once.
 */
const reconnection = {
  minReconnectionDelay: 250 + Math.random() * 250,
  maxReconnectionDelay: 15_000,
  reconnectionDelayGrowFactor: 2,
  minUptime: 0,
  connectionTimeout: 10_000,
}

/** Milliseconds without an event after which the daemon is asked whether it still answers. */
const silence = 15_000

/** The event bus over one socket that reconnects and asks for the events it missed. */
export function createBus(api: Api): Bus {
  const watchers = new Set<() => void>()
  const listeners = new Map<BusListener, readonly string[]>()
  let state: BusState = 'connecting'
  let socket: ReconnectingWebSocket | null = null
  let lastSeq: number | undefined
  let lastHeard = 0

  const become = (next: BusState) => {
    if (state === next) return
    state = next
    for (const watcher of watchers) watcher()
  }
  const receive = (event: BusEvent | Store) => {
    lastHeard = Date.now()
    if (event.type === 'store') return become(event.data.reachable ? 'live' : 'stranded')
    if (typeof event.seq === 'number') lastSeq = event.seq
    for (const [listener, prefixes] of listeners) {
      if (event.type === 'resync' || prefixes.some((prefix) => event.type.startsWith(prefix))) listener(event)
    }
  }
  const connect = () => {
    const opening = new ReconnectingWebSocket(() => socketAddress(api, '/ws/events'), null, reconnection)
    const lost = async () => {
      become(state === 'offline' ? state : 'connecting')
      if (opening.retryCount < 2) return
      // Some proxies pass on requests but no sockets; then the pages still work.
      const answers = await isAnswering()
      if (socket === opening && opening.readyState !== opening.OPEN) become(answers ? 'connecting' : 'offline')
    }
    opening.addEventListener('open', () => {
      opening.send(JSON.stringify({ type: 'subscribe', types: ['*'], since_seq: lastSeq }))
      become('live')
    })
    opening.addEventListener('message', ({ data }) => receive(JSON.parse(String(data))))
    opening.addEventListener('close', () => socket === opening && lost())
    opening.addEventListener('error', () => socket === opening && lost())
    return opening
  }
  const hurry = () => {
    if (socket && state !== 'live' && document.visibilityState !== 'hidden') socket.reconnect()
  }
  // The socket of a daemon that hangs, or behind a network that is gone, stays open.
  const check = async () => {
    const checked = socket
    if (!checked || state !== 'live' || document.hidden || Date.now() - lastHeard < silence) return
    if (await isAnswering()) lastHeard = Date.now()
    else if (socket === checked) {
      become('offline')
      checked.reconnect()
    }
  }
  let checks: ReturnType<typeof setInterval> | undefined
  addEventListener('online', hurry)
  document.addEventListener('visibilitychange', hurry)

  return {
    state: () => state,
    watch(listener) {
      watchers.add(listener)
      return () => watchers.delete(listener)
    },
    listen(prefixes, listener) {
      listeners.set(listener as BusListener, prefixes)
      return () => listeners.delete(listener as BusListener)
    },
    start() {
      become('connecting')
      socket ??= connect()
      checks ??= setInterval(check, silence / 2)
    },
    stop() {
      const closing = socket
      socket = null
      clearInterval(checks)
      checks = undefined
      lastSeq = undefined
      closing?.close()
      become('connecting')
    },
  }
}

/** The address of a socket with a single-use ticket. */
export async function socketAddress(api: Api, path: string): Promise<string> {
  const { ticket } = await api.post('/api/auth/ws-ticket', { signal: AbortSignal.timeout(10_000) })
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}${path}?token=${encodeURIComponent(ticket)}`
}
