import type { Context } from '../context.ts'
import { unavailable, unsupported } from '../fault.ts'
import type { Host } from '../host.ts'
import {
  type Command,
  type ContainerSpec,
  type EngineStatus,
  type SandboxEngine,
  SandboxError,
} from '../ports/sandbox.ts'
import { processState } from '../process-state.ts'
import { readSection } from '../sections/section.ts'
import { minute, second } from '../time.ts'
import { unlessAborted, within } from '../within.ts'
import { type SandboxConfig, type SandboxStatus, sandboxConfig } from './schema.ts'
import { countContainers } from './store.ts'

/** Trying an engine starts a process. */
const statusAge = 30 * second

interface Tried {
  at: number
  status: Promise<EngineStatus>
}

const triedEngines = processState(() => new Map<SandboxEngine, Tried>())

export function engineStatus(host: Pick<Host, 'process' | 'clock'>, engine: SandboxEngine): Promise<EngineStatus> {
  const cached = triedEngines(host).get(engine)
  const now = host.clock.now()
  if (cached && Math.abs(now - cached.at) < statusAge) return cached.status
  const status = engine.status()
  triedEngines(host).set(engine, { at: now, status })
  return status
}

/** An engine that answers may still be unable to run a container; it is tried again after this time. */
const failureAge = 10 * minute

const failures = processState(() => new Map<SandboxEngine, { at: number; problem: string }>())

/** The status for `auto`: an engine that has just failed is not available. */
async function provenStatus(host: Pick<Host, 'process' | 'clock'>, engine: SandboxEngine): Promise<EngineStatus> {
  const status = await engineStatus(host, engine)
  const failure = failures(host).get(engine)
  if (!failure || Math.abs(host.clock.now() - failure.at) >= failureAge) return status
  return {
    ...status,
    available: false,
    problem: `It answers, but could not run a container: ${failure.problem}`,
  }
}

/** Engines that have run a command in a container of this process. */
const workingEngines = processState(() => new WeakSet<SandboxEngine>())

/** Runs a command that does nothing, once for each engine: one that starts containers may still run nothing in them. */
export async function proveEngine(context: Context, engine: SandboxEngine, container: ContainerSpec): Promise<void> {
  if (workingEngines(context).has(engine)) return
  const late = new SandboxError('A command in a container did not end')
  const limit = { milliseconds: probe.timeout_seconds * second, late }
  const problem = await within(context, limit, (signal) => unlessAborted(failureOf(engine, container, signal), signal))
  if (problem !== null) throw new SandboxError(`A command in a container failed: ${problem}`)
  workingEngines(context).add(engine)
}

const probe: Command = {
  argv: ['sh', '-c', 'exit 0'],
  stdin: new Uint8Array(),
  env: {},
  workdir: '/',
  timeout_seconds: 10,
}

async function failureOf(engine: SandboxEngine, container: ContainerSpec, signal: AbortSignal): Promise<string | null> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const output of engine.run(container, probe, signal)) {
    if ('exit_code' in output)
      return output.exit_code === 0 ? null : text.trim().slice(-300) || `exit code ${output.exit_code}`
    text += decoder.decode(output.bytes)
  }
  return 'it ended without an exit code'
}

/** Whether `auto` has another engine after this one could not run a container. The only one stays in use. */
export async function hasNextEngine(
  host: Host,
  config: SandboxConfig,
  failed: SandboxEngine,
  problem: string,
): Promise<boolean> {
  failures(host).set(failed, { at: host.clock.now(), problem })
  if ('engine' in (await chooseEngine(host, config))) return true
  failures(host).delete(failed)
  return false
}

/** What would make commands possible on a machine without an engine. */
export const howToInstall =
  'Install bubblewrap (for example: apt-get install bubblewrap), podman, or docker, and start its service'

const disabled = 'The sandbox is disabled; an administrator can enable it in its configuration'

export type Choice = { engine: SandboxEngine } | { problem: string }

/** The engine of new containers. */
export async function chooseEngine(host: Host, config: SandboxConfig): Promise<Choice> {
  const { engines } = host.sandbox
  if (!config.enabled || config.backend === 'none') return { problem: disabled }
  if (engines.length === 0) return { problem: 'This host runs no commands; the Node host does' }
  const candidates = engines.filter(({ backend }) => config.backend === 'auto' || backend === config.backend)
  const problems: string[] = []
  for (const engine of candidates) {
    const { available, problem } = await (config.backend === 'auto' ? provenStatus : engineStatus)(host, engine)
    if (available) return { engine }
    problems.push(problem ?? `${engine.backend} is not available`)
  }
  return config.backend === 'auto'
    ? { problem: `No sandbox engine works on this machine. ${howToInstall}` }
    : { problem: problems.join('. ') || `This host has no ${config.backend}` }
}

export async function sandboxStatus(context: Context): Promise<SandboxStatus> {
  const config = await readSection(context, sandboxConfig)
  const engines = await Promise.all(
    context.sandbox.engines.map(async (engine) => ({
      backend: engine.backend,
      ...(await provenStatus(context, engine)),
    })),
  )
  const choice = await chooseEngine(context, config)
  const [total, running] = await Promise.all([
    countContainers(context),
    countContainers(context, { status: 'running' }),
  ])
  return {
    enabled: config.enabled && config.backend !== 'none',
    available: 'engine' in choice,
    backend: 'engine' in choice ? choice.engine.backend : null,
    problem: 'problem' in choice ? choice.problem : null,
    engines,
    containers: { total, running },
  }
}

/** The engine of an existing container; a 503 if it no longer works. */
export async function engineOf(host: Host, backend: string): Promise<SandboxEngine> {
  const config = await readSection(host, sandboxConfig)
  if (!config.enabled || config.backend === 'none') throw unsupported(disabled)
  const engine = host.sandbox.engines.find((one) => one.backend === backend)
  if (!engine) throw unsupported(`This host has no ${backend}. ${howToInstall}`)
  const { available, problem } = await engineStatus(host, engine)
  if (!available) throw unsupported(problem ?? howToInstall)
  return engine
}

/** Turns failures of the engine into a 503. */
export async function engineCall<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (thrown) {
    throw thrown instanceof SandboxError ? unavailable(thrown.message) : thrown
  }
}
