import { readSecurity } from '../auth/security.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { forbidden, rateLimited } from '../fault.ts'
import { newId } from '../id.ts'
import { type SandboxEngine, SandboxError } from '../ports/sandbox.ts'
import { processState } from '../process-state.ts'
import { readSection } from '../sections/section.ts'
import { iso, second } from '../time.ts'
import { busyContainers, started } from './containers.ts'
import { engineOf } from './engine.ts'
import { type CommandEnd, type RunCommand, type SandboxConfig, sandboxConfig } from './schema.ts'
import { insertLog, type StoredContainer, updateContainer } from './store.ts'
import { workspaceBytes } from './workspace.ts'

/** Commands at once in one process. */
const maxRunning = 16
/** Bytes of output that are passed on. */
const maxOutput = 1024 * 1024
/** Characters of output that are kept in the log. */
const keptOutput = 20_000
const diskCheck = 2 * second
const megabyte = 1024 * 1024

export type CommandEvent =
  | { event: 'start'; data: { exec_id: string } }
  | { event: 'output'; data: { stream: 'stdout' | 'stderr'; text: string } }
  | { event: 'exit'; data: CommandEnd }

interface Prepared {
  container: StoredContainer
  engine: SandboxEngine
  config: SandboxConfig
  command: RunCommand
}

/** Checks the command and starts the container. The events then run it; they end it when their reader stops. */
export async function prepareCommand(
  context: Context,
  stored: StoredContainer,
  command: RunCommand,
): Promise<(signal: AbortSignal) => AsyncGenerator<CommandEvent, void>> {
  await refuseBlocked(context, textOf(command))
  const running = [...busyContainers(context).values()].reduce((sum, count) => sum + count, 0)
  const state = preparing(context)
  if (running + state.count >= maxRunning)
    throw rateLimited(5, `${maxRunning} commands are running; try again when one ends`)
  state.count += 1
  try {
    const container = await started(context, stored)
    const config = await readSection(context, sandboxConfig)
    const engine = await engineOf(context, container.backend)
    return (signal) => runCommand({ ...context, signal }, { container, engine, config, command })
  } finally {
    state.count -= 1
  }
}

/** Commands whose container starts. */
const preparing = processState(() => ({ count: 0 }))

export const textOf = ({ command }: Pick<RunCommand, 'command'>): string =>
  typeof command === 'string' ? command : command.join(' ')

/** A guard against accidents, not against intent: a command can be written in another way. */
async function refuseBlocked(context: Context, text: string): Promise<void> {
  const { blocked_commands } = await readSecurity(context)
  const flat = text.replace(/\s+/g, ' ')
  const blocked = blocked_commands.find((entry) => flat.includes(entry.replace(/\s+/g, ' ')))
  if (blocked !== undefined) throw forbidden(`The security settings block commands that contain "${blocked}"`)
}

async function* runCommand(context: Context, prepared: Prepared): AsyncGenerator<CommandEvent, void> {
  const { container, command } = prepared
  const exec_id = newId('exec', context.clock.now())
  const begun = context.clock.now()
  const busy = busyContainers(context)
  busy.set(container.id, (busy.get(container.id) ?? 0) + 1)
  const output = new Output()
  let end: Ending | undefined
  const finish = (ending: Ending): Promise<CommandEnd> => {
    end = ending
    const duration_ms = Math.max(0, Math.round(context.clock.now() - begun))
    const data = { exec_id, ...ending, truncated: output.truncated, duration_ms }
    return log(context, { container, command, output, started_at: iso(begun), data })
  }
  try {
    yield { event: 'start', data: { exec_id } }
    const ending = yield* runLimited(context, prepared, output)
    yield* output.rest()
    yield { event: 'exit', data: await finish(ending) }
  } finally {
    const count = (busy.get(container.id) ?? 1) - 1
    if (count > 0) busy.set(container.id, count)
    else busy.delete(container.id)
    if (!end) await finish(stoppedByCaller)
  }
}

const stoppedByCaller = { exit_code: null, error: 'The caller stopped the command', timed_out: false }

interface Logged {
  container: StoredContainer
  command: RunCommand
  output: Output
  started_at: string
  data: CommandEnd
}

async function log(context: Context, { container, command, output, started_at, data }: Logged): Promise<CommandEnd> {
  const { exec_id, ...end } = data
  const { redaction } = context.process
  const text = redaction.text(textOf(command)).slice(0, 10_000).replaceAll('\0', '\uFFFD').toWellFormed()
  const entry = { id: exec_id, command: text, started_at, ...end }
  const last_used_at = iso(context.clock.now())
  // The container may be deleted meanwhile.
  await context.commit(
    [
      ...insertLog(container.id, { ...entry, output: redaction.text(output.kept) }),
      updateContainer(container.id, { last_used_at }),
    ],
    [
      event(
        'container.command.finished',
        { container_id: container.id, exec_id, exit_code: end.exit_code },
        container.owner_id,
      ),
    ],
  )
  return data
}

class TimedOut extends SandboxError {}

type Ending = Pick<CommandEnd, 'exit_code' | 'error' | 'timed_out'>

async function* runLimited(
  context: Context,
  { container, engine, config, command }: Prepared,
  output: Output,
): AsyncGenerator<CommandEvent, Ending> {
  const timeout_seconds = Math.min(command.timeout_seconds ?? config.timeout_seconds, config.timeout_seconds)
  const stop = new AbortController()
  const done = new AbortController()
  const after = (milliseconds: number) => context.clock.after(milliseconds, done.signal)
  after(timeout_seconds * second).then(
    () => stop.abort(new TimedOut(`The command ran longer than ${timeout_seconds} s`)),
    () => undefined,
  )
  void watchDisk(context, { container, disk_mb: config.disk_mb, stop, after })
  const call = {
    argv: typeof command.command === 'string' ? ['sh', '-c', command.command] : command.command,
    stdin: new TextEncoder().encode(command.stdin),
    env: command.env,
    workdir: command.workdir ?? (container.workspace_access === 'none' ? '/' : '/workspace'),
    timeout_seconds,
  }
  try {
    const signal = AbortSignal.any([context.signal, stop.signal])
    for await (const piece of engine.run(container, call, signal)) {
      if ('exit_code' in piece) return { exit_code: piece.exit_code, error: null, timed_out: false }
      const text = output.take(piece.stream, piece.bytes)
      if (text) yield { event: 'output', data: { stream: piece.stream, text } }
    }
    return { exit_code: null, error: 'The command ended without an exit code', timed_out: false }
  } catch (thrown) {
    const reason = stop.signal.aborted ? stop.signal.reason : thrown
    if (context.signal.aborted && !stop.signal.aborted) return stoppedByCaller
    if (!(reason instanceof SandboxError)) throw reason
    return { exit_code: null, error: reason.message, timed_out: reason instanceof TimedOut }
  } finally {
    done.abort(ended)
  }
}

const ended = new Error('The command has ended')

interface Watched {
  container: StoredContainer
  disk_mb: number
  stop: AbortController
  after(milliseconds: number): Promise<void>
}

/** Neither engine limits the size of a folder. */
async function watchDisk(context: Context, { container, disk_mb, stop, after }: Watched): Promise<void> {
  if (container.workspace_access !== 'rw') return
  try {
    for (;;) {
      await after(diskCheck)
      if ((await workspaceBytes(context, container.id)) > disk_mb * megabyte)
        stop.abort(
          new SandboxError(`The workspace is larger than ${disk_mb} MB or cannot be measured; delete files in it`),
        )
    }
  } catch {
    // The command has ended.
  }
}

/** The output as text, limited. */
class Output {
  truncated = false
  /** The end of the output, for the log. */
  kept = ''
  #bytes = 0
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }

  take(stream: 'stdout' | 'stderr', bytes: Uint8Array): string {
    const room = maxOutput - this.#bytes
    if (bytes.byteLength > room) this.truncated = true
    const piece = bytes.subarray(0, Math.max(0, room))
    this.#bytes += piece.byteLength
    return this.#keep(this.#decoders[stream].decode(piece, { stream: true }))
  }

  *rest(): Generator<CommandEvent> {
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = this.#keep(this.#decoders[stream].decode())
      if (text) yield { event: 'output', data: { stream, text } }
    }
  }

  #keep(text: string): string {
    // The database ends a text at NUL.
    this.kept = (this.kept + text.replaceAll('\0', '\uFFFD')).slice(-keptOutput).toWellFormed()
    return text
  }
}

/** Runs a command to its end, for callers that do not stream. */
export async function commandResult(
  context: Context,
  container: StoredContainer,
  command: RunCommand,
): Promise<CommandEnd & { stdout: string; stderr: string }> {
  const run = await prepareCommand(context, container, command)
  const text = { stdout: '', stderr: '' }
  for await (const { event, data } of run(context.signal)) {
    if (event === 'output') text[data.stream] += data.text
    if (event === 'exit') return { ...data, ...text }
  }
  context.signal.throwIfAborted()
  throw new SandboxError('The command ended without a result')
}
