import ReconnectingWebSocket from 'partysocket/ws'
import type { Approval as PendingApproval } from '../../runtime/chat/schema.ts'
import { type DaemonFrame, DeviceClient, type DeviceClientOptions } from '../../runtime/devices/client.ts'
import { type Stored, save } from './store.ts'

type Shown = 'id' | 'tool' | 'summary' | 'agent_reason' | 'risk' | 'expires_at'

export interface Approval extends Pick<PendingApproval, Shown> {
  /** The whole input; null if it is too long for a device. */
  input_text: string | null
}

export type Incoming =
  | DaemonFrame
  | { type: 'approvals'; total: number; approvals: Approval[] }
  | { type: 'approval_result'; approval_id: string; ok: boolean; error: string | null }

export interface LinkOptions extends Pick<DeviceClientOptions, 'about' | 'capabilities' | 'perform' | 'health'> {
  stored: Stored
  received(frame: Incoming): void
  /** `ended`: the daemon no longer accepts this device, or another page uses its token. */
  changed(state: 'connecting' | 'connected' | 'ended', reason?: string): void
}

export interface Link {
  send(frame: object): void
  close(): void
}

const silence = 90_000

/** Keeps the device connected. Reconnects with backoff, and immediately when the page becomes visible or online. */
export function openLink(options: LinkOptions): Link {
  const { stored, changed } = options
  const url = new URL(`/device/ws?token=${stored.device_token}`, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  let heard = Date.now()
  const socket = new ReconnectingWebSocket(url.href, [], {
    minReconnectionDelay: 1_000,
    maxReconnectionDelay: 30_000,
    reconnectionDelayGrowFactor: 2,
    maxEnqueuedMessages: 0,
  })
  const send = (frame: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }

  const client = new DeviceClient({
    ...options,
    state: stored,
    save: () => save(stored),
    messageOf: (thrown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    send,
  })

  socket.addEventListener('open', () => {
    heard = Date.now()
    void client.hello()
  })
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    heard = Date.now()
    const frame = JSON.parse(data) as Incoming
    client.receive(frame)
    if (frame.type === 'welcome') changed('connected')
    options.received(frame)
  })
  socket.addEventListener('close', ({ code }) => {
    if (code === 4401) end('This browser is no longer paired. Pair it again with a new code.')
    else if (code === 4409) end('hearthd is open on another page of this browser.')
    else changed('connecting')
  })

  const again = () => {
    if (!document.hidden && socket.readyState !== WebSocket.OPEN) socket.reconnect()
  }
  const timer = setInterval(() => {
    if (Date.now() - heard > silence) socket.reconnect()
    else void client.beat()
  }, 30_000)
  document.addEventListener('visibilitychange', again)
  addEventListener('online', again)

  function close() {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', again)
    removeEventListener('online', again)
    socket.close()
  }
  function end(reason: string) {
    close()
    changed('ended', reason)
  }
  return { send, close }
}
