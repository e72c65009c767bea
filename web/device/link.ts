import ReconnectingWebSocket from 'partysocket/ws'
import type { Approval as PendingApproval } from '../../runtime/chat/schema.ts'
import { resultFrame } from '../../runtime/devices/result.ts'
import { type Stored, save } from './store.ts'

type Shown = 'id' | 'tool' | 'summary' | 'agent_reason' | 'risk' | 'expires_at'

export interface Approval extends Pick<PendingApproval, Shown> {
  /** The whole input; null if it is too long for a device. */
  input_text: string | null
}

export type Incoming =
  | { type: 'welcome'; name: string; allowed_commands: string[]; push_public_key?: string | null }
  | { type: 'allowed'; allowed_commands: string[] }
  | {
      type: 'command'
      id: string
      seq: number
      command: string
      params: Record<string, unknown>
      timeout_seconds: number
    }
  | { type: 'cancel' | 'received'; id: string }
  | { type: 'refused'; id?: string; reason: string }
  | { type: 'approvals'; total: number; approvals: Approval[] }
  | { type: 'approval_result'; approval_id: string; ok: boolean; error: string | null }
  | { type: 'ping' | 'pong' }

export interface LinkOptions {
  stored: Stored
  about: object
  capabilities: readonly string[]
  perform(command: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown>
  health(): Promise<object>
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
  const running = new Map<string, AbortController>()
  /** Results that the daemon has not confirmed. */
  const results = new Map<string, object>()
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

  async function run({ id, seq, command, params, timeout_seconds }: Extract<Incoming, { type: 'command' }>) {
    if (seq <= stored.received) return
    stored.received = seq
    save(stored)
    send({ type: 'ack', id })
    const abort = new AbortController()
    running.set(id, abort)
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(timeout_seconds * 1_000)])
    const outcome = await options.perform(command, params, signal).then(
      (output) => ({ ok: true, output }),
      (thrown: unknown) => ({ ok: false, error: thrown instanceof Error ? thrown.message : String(thrown) }),
    )
    running.delete(id)
    const result = resultFrame(id, outcome)
    results.set(id, result)
    send(result)
  }

  socket.addEventListener('open', async () => {
    heard = Date.now()
    const health = await options.health()
    const open = [...running.keys(), ...results.keys()]
    const { about, capabilities } = options
    send({ type: 'hello', ...about, capabilities, health, received: stored.received, running: open })
  })
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    heard = Date.now()
    const frame = JSON.parse(data) as Incoming
    if (frame.type === 'ping') send({ type: 'pong' })
    if (frame.type === 'command') void run(frame)
    if (frame.type === 'cancel') running.get(frame.id)?.abort(new Error('The command was cancelled'))
    if (frame.type === 'received' || (frame.type === 'refused' && frame.id)) results.delete(frame.id ?? '')
    if (frame.type === 'welcome') {
      changed('connected')
      for (const result of results.values()) send(result)
    }
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
  const timer = setInterval(async () => {
    if (Date.now() - heard > silence) return socket.reconnect()
    send({ type: 'ping', health: await options.health() })
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
