import ReconnectingWebSocket from 'partysocket/ws'
import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import type { Action, BrowserStatus, Tab } from '../../../runtime/browser/schema.ts'
import type { Api } from '../../api/client.ts'
import { useRefresh } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'

type Activity = Pick<
  BrowserStatus,
  'har' | 'mocks' | 'dialogs' | 'recording_id' | 'replay_id' | 'screen_recording_id' | 'taken_by'
>

/** The state of the browser as the live view reports it. */
export interface LiveState extends Activity {
  running: boolean
  url: string | null
  title: string | null
  /** The viewport in CSS pixels; null before the first frame. */
  width: number | null
  height: number | null
  tabs: Tab[]
}

/** An action in the browser, by a person, an agent or a replay. */
export interface ReportedAction {
  tab_id: string
  action: Action
  target: string | null
  by_person: boolean
  at: string
  duration_ms: number
  url: string | null
  failure: string | null
}

export interface LoggedAction extends ReportedAction {
  key: number
  /** Milliseconds, by the clock of this browser. */
  received_at: number
}

type LiveMessage =
  | ({ type: 'state' } & LiveState)
  | ({ type: 'act' } & ReportedAction)
  | { type: 'error'; code: string; message: string }

export type LiveInput =
  | {
      type: 'mouse'
      kind: 'move' | 'down' | 'up' | 'wheel'
      x: number
      y: number
      button?: 'left' | 'middle' | 'right'
      delta_x?: number
      delta_y?: number
    }
  | { type: 'key'; kind: 'down' | 'up'; key: string }
  | { type: 'text'; text: string }

const maxLogged = 200

/** Newest first. Typing and scrolling by a person arrives in pieces, which are merged into one entry. */
export function logAction(
  log: readonly LoggedAction[],
  action: ReportedAction,
  received_at: number,
): LoggedAction[] {
  const [last, ...rest] = log
  const continues = last !== undefined && action.by_person && isContinuation(last, action)
  const key = continues ? last.key : (last?.key ?? 0) + 1
  return [{ ...action, key, received_at }, ...(continues ? rest : log)].slice(0, maxLogged)
}

const isContinuation = (last: ReportedAction, next: ReportedAction) =>
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
    this.#socket = new ReconnectingWebSocket(() => addressOf(api), null, {
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

  send(input: LiveInput): void {
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

  /** Returns how to stop. */
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
    else if (message.type === 'act')
      this.#change({ actions: logAction(this.#snapshot.actions, message, Date.now()) })
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

async function addressOf(api: Api): Promise<string> {
  const { ticket } = await api.post('/api/auth/ws-ticket')
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return `${scheme}//${location.host}/api/browser/stream?token=${encodeURIComponent(ticket)}`
}

const traffic = [
  '/api/browser/requests',
  '/api/browser/console',
  '/api/browser/downloads',
  '/api/browser/cookies',
]
/** Minimum milliseconds between two refreshes of the lists that show the traffic of pages. */
const refreshEvery = 1_000

export interface Live extends LiveSnapshot {
  stream: LiveStream
}

/** The live view for as long as the page is open. A new frame or action may mean new requests or console lines. */
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
