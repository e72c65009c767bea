import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { processState } from '../process-state.ts'
import type { DeviceHealth } from './schema.ts'

/** Close codes of the device socket, in the range that RFC 6455 reserves for applications. */
export const closing = { malformed: 4400, badToken: 4401, silent: 4408, replaced: 4409 } as const

interface Rate {
  minute: number
  count: number
}

/** The connection of one device to this process. */
export interface LiveDevice {
  id: string
  name: string
  owner_id: string
  /** Acts as the owner of the device; `signal` aborts when the connection ends. */
  context: Context
  /** Hash of the token that opened the connection. */
  token_hash: string
  /** The capabilities that may be used now. */
  allowed: ReadonlySet<string>
  /** Whether the device has sent `hello`. */
  ready: boolean
  stale: boolean
  replaced: boolean
  /** Milliseconds since the epoch. */
  seen_at: number
  pinged_at: number | null
  health: DeviceHealth
  /** Number of refused frames. */
  refusals: number
  /** Number of frames by kind in the current minute. */
  events: Rate
  progress: Rate
  /** Serializes the deliveries of this connection. */
  delivering: Promise<void>
  send(frame: object): void
  close(code: number, reason: string): void
}

/** The devices that are connected to this process, by id. */
export const liveDevices = processState(() => new Map<string, LiveDevice>())

export const liveDevice = (host: Pick<Host, 'process'>, id: string): LiveDevice | undefined => liveDevices(host).get(id)

/** Closes the connection of a device whose token is no longer valid. */
export const endConnection = (host: Pick<Host, 'process'>, id: string): void =>
  liveDevice(host, id)?.close(closing.badToken, 'The device token is no longer valid')

/** Closes the connections of a removed user's devices. */
export function endConnectionsOf(host: Pick<Host, 'process'>, owner_id: string): void {
  for (const { id, owner_id: owner } of liveDevices(host).values()) if (owner === owner_id) endConnection(host, id)
}
