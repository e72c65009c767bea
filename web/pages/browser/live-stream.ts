import ReconnectingWebSocket from 'partysocket/ws'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import type { LiveAct, LiveMessage, LiveState } from '../../../runtime/browser/live-view.ts'
import type { PersonInput } from '../../../runtime/tabs/schema.ts'
import { socketAddress } from '../../api/bus.ts'
import type { Api } from '../../api/client.ts'
import { useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'

export interface LoggedAction extends LiveAct {
  key: number
  /** Milliseconds, by the clock of this browser. */
  received_at: number
}

const maxLogged = 200

/** Newest first. Typing and scrolling by a person arrives in pieces, which are merged into one entry. */
export function logAction(log: readonly LoggedAction[], action: LiveAct, received_at: number): LoggedAction[] {
  const [last, ...rest] = log
  const continues = last !== undefined && action.by_person && isContinuation(last, action)
  const key = continues ? last.key : (last?.key ?? 0) + 1
  return [{ ...action, key, received_at }, ...(continues ? rest : log)].slice(0, maxLogged)
}

const isContinuation = (last: LiveAct, next: LiveAct) =>
  last.by_person &&
  last.tab_id === next.tab_id &&
  last.target === next.target &&
  last.action.action === next.action.action &&
  /^(?:type_text|scroll)$/.test(next.action.action)

interface LiveSnapshot {
  connected: boolean
  /** Null until the daemon has sent it. */
  state: LiveState | null
  /** Newest first. */
  actions: readonly LoggedAction[]
  /** Why the person's last input was rejected. */
  rejection: { code: string; message: string } | null
}

/** The socket of the live view. It reconnects, and is closed while the page is hidden. */
export class LiveStream {
  readonly #socket: ReconnectingWebSocket
  readonly #listeners = new Set<() => void>()
  readonly #painters = new Set<(frame: Blob) => void>()
  #snapshot: LiveSnapshot = { connected: false, state: null, actions: [], rejection: null }
  #frame: Blob | null = null
  #inControl = false

  constructor(api: Api) {
    this.#socket = new ReconnectingWebSocket(() => socketAddress(api, '/api/browser/stream'), null, {
      minReconnectionDelay: 500,
      maxReconnectionDelay: 15_000,
      reconnectionDelayGrowFactor: 2,
      // Input is not repeated after a reconnect.
      maxEnqueuedMessages: 0,
      startClosed: true,
    })
    this.#socket.binaryType = 'blob'
    this.#socket.addEventListener('open', () => {
      this.#change({ connected: true })
      if (this.#inControl) this.takeControl(true)
    })
    this.#socket.addEventListener('message', ({ data }: MessageEvent<Blob | string>) =>
      typeof data === 'string' ? this.#receive(JSON.parse(data) as LiveMessage) : this.#paint(data),
    )
    this.#socket.addEventListener('close', () => this.#change({ connected: false }))
  }

  readonly snapshot = (): LiveSnapshot => this.#snapshot

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `painter` with the current frame and with each new one. */
  onFrame(painter: (frame: Blob) => void): () => void {
    this.#painters.add(painter)
    if (this.#frame) painter(this.#frame)
    return () => this.#painters.delete(painter)
  }

  send(input: PersonInput): void {
    if (this.#isOpen()) this.#socket.send(JSON.stringify({ type: 'input', input }))
  }

  /** While a person is in control, agents wait. Control is taken again after a reconnect. */
  takeControl(on: boolean): void {
    this.#inControl = on
    if (this.#isOpen()) this.#socket.send(JSON.stringify({ type: 'take', on }))
  }

  dismissRejection(): void {
    if (this.#snapshot.rejection) this.#change({ rejection: null })
  }

  /** Returns a function that stops it. */
  start(): () => void {
    this.#socket.reconnect()
    let hidden = false
    // A person in control may look something up in another tab, and stays in control.
    const visibilityChanged = () => {
      if (document.visibilityState === 'hidden' && !this.#inControl) {
        hidden = true
        this.#socket.close()
      } else if (hidden && document.visibilityState !== 'hidden') {
        hidden = false
        this.#socket.reconnect()
      }
    }
    document.addEventListener('visibilitychange', visibilityChanged)
    return () => {
      document.removeEventListener('visibilitychange', visibilityChanged)
      this.#socket.close()
    }
  }

  #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  #paint(frame: Blob): void {
    this.#frame = frame
    for (const painter of this.#painters) painter(frame)
  }

  #receive(message: LiveMessage): void {
    if (message.type === 'error') this.#change({ rejection: message })
    else if (message.type === 'act') this.#change({ actions: logAction(this.#snapshot.actions, message, Date.now()) })
    else {
      if (!message.running) this.#frame = null
      this.#change({ state: message })
    }
  }

  #change(change: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const listener of this.#listeners) listener()
  }
}

const traffic = ['/api/browser/requests', '/api/browser/console', '/api/browser/downloads', '/api/browser/cookies']
/** Minimum milliseconds between two refreshes of the lists that show the traffic of pages. */
const refreshEvery = 1_000

export interface Live extends LiveSnapshot {
  stream: LiveStream
}

/**
 * The live view for as long as the page is open. A new frame or action may mean new requests or console
 * lines.
 */
export function useLive(): Live {
  const api = useApi()
  const refetch = useEffectEvent(useRefresh())
  const [stream] = useState(() => new LiveStream(api))
  const snapshot = useSyncExternalStore(stream.subscribe, stream.snapshot)
  useEffect(() => stream.start(), [stream])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        void refetch(...traffic)
      }, refreshEvery)
    }
    const unsubscribe = [stream.onFrame(refresh), stream.subscribe(refresh)]
    return () => {
      clearTimeout(timer)
      for (const off of unsubscribe) off()
    }
  }, [stream])
  return { ...snapshot, stream }
}
