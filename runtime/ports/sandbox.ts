import type { Files } from './files.ts'

export type SandboxBackend = 'docker' | 'podman' | 'bubblewrap'

export interface EngineStatus {
  /** Whether a container can really be started now; an installed program is not enough. */
  available: boolean
  version: string | null
  /** Why it is not available and what to do; null if it is. */
  problem: string | null
}

/** A container: an isolated root, and a workspace folder named by its id. */
export interface ContainerSpec {
  id: string
  /** Ignored by engines without images. */
  image: string
  network: 'none' | 'full'
  cpu_limit: number
  memory_mb: number
  pids_limit: number
  workspace_access: 'none' | 'ro' | 'rw'
  env: Record<string, string>
}

export interface Command {
  /** The program and its arguments. No shell reads them. */
  argv: readonly string[]
  stdin: Uint8Array
  env: Record<string, string>
  /** An absolute path in the container. */
  workdir: string
  /** Limits the processor time of each process, where the engine can. */
  timeout_seconds: number
}

export type CommandOutput = { stream: 'stdout' | 'stderr'; bytes: Uint8Array } | { exit_code: number }

/** The engine failed or refused. The message is safe to show. */
export class SandboxError extends Error {
  override name = 'SandboxError'
}

/** Runs commands in containers. Throws `SandboxError`. */
export interface SandboxEngine {
  readonly backend: SandboxBackend
  /** Whether containers keep processes between two commands. */
  readonly persistent: boolean
  status(): Promise<EngineStatus>
  /** Creates and starts a container. Downloads its image if the engine lacks it. */
  create(spec: ContainerSpec, signal: AbortSignal): Promise<void>
  /** Starts a stopped container; creates one that was lost. */
  start(spec: ContainerSpec, signal: AbortSignal): Promise<void>
  /** Ends all of its processes. A missing container is no error. */
  stop(id: string): Promise<void>
  /** Removes the container; its workspace remains. A missing container is no error. */
  remove(id: string): Promise<void>
  /** The ids of this engine's containers that this installation has created. */
  list(): Promise<{ id: string; running: boolean }[]>
  /**
   * Runs a command in a started container. Ends with its exit code. When the signal aborts, or the caller stops
   * reading, the command ends, and with it other processes of the container if the engine cannot end it alone.
   */
  run(spec: ContainerSpec, command: Command, signal: AbortSignal): AsyncGenerator<CommandOutput, void>
}

/** Isolation for commands. */
export interface Sandbox {
  /** In order of preference. Empty on hosts that cannot start programs. */
  engines: readonly SandboxEngine[]
  /** Workspaces of containers: each is a root named by the container's id. */
  files: Files
}
