import type { MemoryHost } from '../../adapters/memory/host.ts'
import { pair } from '../../handlers/auth/session.ts'
import * as commands from '../../handlers/devices/commands.ts'
import * as devices from '../../handlers/devices/devices.ts'
import { deviceSocket } from '../../handlers/devices/socket.ts'
import type { Device, DeviceCommand, DeviceToken, PairRequest } from '../../runtime/devices/schema.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { call } from '../support/call.ts'
import { peer } from '../support/host.ts'

export const desktop = ['notify', 'health', 'clipboard.read', 'open_url']

export async function newCode(host: MemoryHost, body: object = {}): Promise<string> {
  return (await (await call(devices.pairingCode, host, { body })).json()).code
}

export async function paired(host: MemoryHost, input: Partial<PairRequest> = {}): Promise<DeviceToken> {
  const code = await newCode(host)
  const body = { code, name: 'Laptop', platform: 'linux', capabilities: desktop, ...input }
  const response = await call(pair, host, { body })
  if (response.status !== 201) throw new Error(await response.text())
  return response.json()
}

/** Pairs a device and approves all that it offers. */
export async function approved(host: MemoryHost, input: Partial<PairRequest> = {}): Promise<DeviceToken> {
  const device = await paired(host, input)
  const allowed_commands = input.capabilities ?? desktop
  await call(devices.update, host, { params: { id: device.device_id }, body: { allowed_commands } })
  return device
}

export const shown = async (host: MemoryHost, id: string): Promise<Device> =>
  (await call(devices.show, host, { params: { id } })).json()

export const send = (host: MemoryHost, id: string, body: object): Promise<Response> =>
  call(commands.send, host, { params: { id }, body })

export const sent = async (host: MemoryHost, id: string, body: object): Promise<DeviceCommand> => {
  const response = await send(host, id, body)
  if (response.status !== 202) throw new Error(await response.text())
  return response.json()
}

export const commandOf = async (host: MemoryHost, id: string, command_id: string): Promise<DeviceCommand> =>
  (await call(commands.showCommand, host, { params: { id, command_id } })).json()

// biome-ignore lint/suspicious/noExplicitAny: the tests look at what they expect
export type Received = Record<string, any>

export interface TestSocket {
  /** Frames from the daemon, oldest first. */
  frames: Received[]
  /** The code with which the daemon closed the connection. */
  closed: number | null
  say(frame: unknown): void
  /** The peer goes away. */
  leave(): void
  /** The frames of one type. */
  of(type: string): Received[]
}

/** Waits until the daemon has nothing left to do for the sockets. */
export const quiet = async (host: MemoryHost): Promise<void> => {
  // Reads and writes of the store in memory end within a few turns of the event loop.
  for (let turn = 0; turn < 40; turn += 1) await host.clock.advance(0)
}

/** Opens a device socket as the host does; says `hello` if one is given. */
export async function connect(
  host: MemoryHost,
  token: string | null,
  hello: object | null = { capabilities: desktop },
): Promise<TestSocket> {
  const listeners: ((text: string) => void)[] = []
  const leaving: (() => void)[] = []
  const socket: TestSocket = {
    frames: [],
    closed: null,
    say: (frame) => {
      const text = typeof frame === 'string' ? frame : JSON.stringify(frame)
      for (const listener of listeners) listener(text)
    },
    leave: () => {
      for (const listener of leaving.splice(0)) listener()
    },
    of: (type) => socket.frames.filter((frame) => frame.type === type),
  }
  const context = contextOf(new Request('http://127.0.0.1:18781/api/devices/ws'), host, peer)
  void deviceSocket.open(
    {
      send: (text) => {
        if (socket.closed === null) socket.frames.push(JSON.parse(String(text)))
      },
      close: (code) => {
        socket.closed ??= code
        socket.leave()
      },
      buffered: () => 0,
      onMessage: (listener) => void listeners.push(listener as (text: string) => void),
      onClose: (listener) => void leaving.push(listener),
    },
    context,
    token,
  )
  if (hello) socket.say({ type: 'hello', ...hello })
  // Loaded when the first device connects.
  await import('../../runtime/devices/socket.ts')
  await quiet(host)
  return socket
}

/** Answers every command that arrives, as an honest device does. */
export async function work(host: MemoryHost, socket: TestSocket, output: unknown = null): Promise<string[]> {
  const done: string[] = []
  for (;;) {
    const next = socket.of('command').find(({ id }) => !done.includes(id))
    if (!next) return done
    done.push(next.id)
    socket.say({ type: 'ack', id: next.id })
    socket.say({ type: 'result', id: next.id, ok: true, output })
    await quiet(host)
  }
}
