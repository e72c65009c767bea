/** The longest frame of the device socket, in bytes. A longer one closes the connection. */
export const maxFrame = 1024 * 1024

/** Maximum characters of an error. */
export const maxError = 5_000

/** What the daemon sends to a device. */
export type DaemonFrame =
  | { type: 'welcome'; name: string; allowed_commands: string[]; push_public_key?: string | null }
  | { type: 'allowed'; allowed_commands: string[] }
  | Command
  | { type: 'cancel' | 'received'; id: string }
  | { type: 'refused'; id?: string; reason: string }
  | { type: 'ping' | 'pong' }

interface Command {
  type: 'command'
  id: string
  seq: number
  command: string
  params: Record<string, unknown>
  timeout_seconds: number
}

export interface DeviceClientOptions {
  /** Stored on the device. `received`: the position of the last command, saved before it runs. */
  state: { received: number }
  save(): void
  /** Fields of the first frame. */
  about: object
  capabilities: readonly string[]
  perform(command: Pick<Command, 'command' | 'params'> & { signal: AbortSignal }): Promise<unknown>
  /** What the daemon learns of an error. */
  messageOf(thrown: unknown, signal: AbortSignal): string
  health(): Promise<object>
  /** Does nothing while the socket is not open. */
  send(frame: object): void
  ended?(command: { id: string; command: string; ok: boolean }): void
}

/** A device's side of its connection, whatever the socket: each command runs once, and results are sent until confirmed. */
export class DeviceClient {
  readonly #options: DeviceClientOptions
  readonly #running = new Map<string, AbortController>()
  /** Results that the daemon has not confirmed. */
  readonly #results = new Map<string, object>()

  constructor(options: DeviceClientOptions) {
    this.#options = options
  }

  /** Call it when the socket has opened. */
  async hello(): Promise<void> {
    const { about, capabilities, health, state, send } = this.#options
    const measured = await health()
    const running = [...this.#running.keys(), ...this.#results.keys()]
    send({ type: 'hello', ...about, capabilities, health: measured, received: state.received, running })
  }

  async beat(): Promise<void> {
    this.#options.send({ type: 'ping', health: await this.#options.health() })
  }

  receive(frame: DaemonFrame | { type: 'approvals' | 'approval_result' }): void {
    const { send } = this.#options
    if (frame.type === 'ping') send({ type: 'pong' })
    if (frame.type === 'command') void this.#run(frame)
    if (frame.type === 'cancel') this.#running.get(frame.id)?.abort(new Error('The command was cancelled'))
    if (frame.type === 'received' || frame.type === 'refused') this.#results.delete(frame.id ?? '')
    if (frame.type === 'welcome') for (const result of this.#results.values()) send(result)
  }

  async #run({ id, seq, command, params, timeout_seconds }: Command): Promise<void> {
    const { state, save, perform, messageOf, send, ended } = this.#options
    if (seq <= state.received) return
    state.received = seq
    save()
    send({ type: 'ack', id })
    const abort = new AbortController()
    this.#running.set(id, abort)
    const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(timeout_seconds * 1_000)])
    const result = await perform({ command, params, signal }).then(
      (output) => resultFrame(id, output),
      (thrown: unknown) => failedFrame(id, messageOf(thrown, signal)),
    )
    this.#running.delete(id)
    ended?.({ id, command, ok: result.ok })
    this.#results.set(id, result)
    send(result)
  }
}

const failedFrame = (id: string, error: string) => ({ type: 'result', id, ok: false, error: error.slice(0, maxError) })

/** An error if the output is too long for a frame and would close every connection. */
function resultFrame(id: string, output: unknown) {
  const frame = { type: 'result', id, ok: true, output }
  const bytes = new TextEncoder().encode(JSON.stringify(frame)).length
  return bytes <= maxFrame ? frame : failedFrame(id, `The output has ${bytes} bytes; the limit is ${maxFrame}`)
}
