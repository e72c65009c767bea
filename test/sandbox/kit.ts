import { createFakeClock } from '../../adapters/memory/clock.ts'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import {
  type Command,
  type CommandOutput,
  type ContainerSpec,
  type EngineStatus,
  type Sandbox,
  type SandboxEngine,
  SandboxError,
} from '../../runtime/ports/sandbox.ts'

type Script = (command: Command, signal: AbortSignal) => AsyncIterable<CommandOutput> | Iterable<CommandOutput>

const bytes = (text: string) => new TextEncoder().encode(text)
export const stdout = (text: string): CommandOutput => ({ stream: 'stdout', bytes: bytes(text) })

/** An engine in memory that records what it is asked; `script` answers commands. */
export class FakeEngine implements SandboxEngine {
  readonly backend = 'podman'
  readonly persistent = true
  readonly containers = new Map<string, { spec: ContainerSpec; running: boolean }>()
  readonly commands: Command[] = []
  /** How the command ends with which `auto` tries an engine; null if it does not. */
  trial: CommandOutput[] | null = [{ exit_code: 0 }]
  state: EngineStatus = { available: true, version: '1.0', problem: null }
  script: Script = (command) => [stdout(command.argv.at(-1) ?? ''), { exit_code: 0 }]

  status = async () => this.state

  async create(spec: ContainerSpec): Promise<void> {
    if (spec.image.includes('missing')) throw new SandboxError(`There is no image ${spec.image}`)
    this.containers.set(spec.id, { spec, running: true })
  }

  start = (spec: ContainerSpec) => this.create(spec)

  async stop(id: string): Promise<void> {
    const container = this.containers.get(id)
    if (container) container.running = false
  }

  async remove(id: string): Promise<void> {
    this.containers.delete(id)
  }

  list = async () => [...this.containers].map(([id, { running }]) => ({ id, running }))

  async *run(_: ContainerSpec, command: Command, signal: AbortSignal): AsyncGenerator<CommandOutput, void> {
    if (command.argv.at(-1) === 'exit 0') {
      if (this.trial) yield* this.trial
      else await new Promise(() => undefined)
      return
    }
    this.commands.push(command)
    yield* this.script(command, signal)
  }
}

/** A sandbox with one engine in memory. */
export function fakeSandbox(): { engine: FakeEngine; sandbox: Sandbox } {
  const engine = new FakeEngine()
  return { engine, sandbox: { engines: [engine], files: createMemoryFiles(createFakeClock()) } }
}
