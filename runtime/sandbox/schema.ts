import { z } from 'zod'
import { defineSection } from '../sections/section.ts'

export const Backend = z.enum(['docker', 'podman', 'bubblewrap'])

const Env = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/, 'must be a name such as LANG'), z.string().max(10_000))
  .refine((env) => Object.keys(env).length <= 50, 'must have at most 50 entries')

const limits = {
  network: z.enum(['none', 'full']).meta({
    title: 'Network',
    description: 'Full also reaches devices of the local network and services of this machine',
  }),
  cpu_limit: z.number().min(0.1).max(64).meta({ title: 'Processor limit', unit: 'cores' }),
  memory_mb: z.int().min(16).max(262_144).meta({ title: 'Memory limit', unit: 'MB' }),
  pids_limit: z.int().min(4).max(10_000).meta({ title: 'Process limit' }),
  workspace_access: z.enum(['none', 'ro', 'rw']).meta({
    title: 'Workspace',
    description: 'What commands may do with the folder /workspace, which is kept between commands',
    labels: { ro: 'Read only', rw: 'Read and write' },
  }),
}

const Image = z
  .string()
  .trim()
  .max(255)
  .regex(/^[a-z0-9][\w./:@-]*$/, 'must be the name of an image such as docker.io/library/debian:stable-slim')

export const SandboxConfig = z.object({
  enabled: z.boolean().meta({ title: 'Enabled' }),
  backend: z.enum(['auto', ...Backend.options, 'none']).meta({ title: 'Engine' }),
  image: Image.meta({ title: 'Image', description: 'For docker and podman' }),
  ...limits,
  disk_mb: z.int().min(1).max(1_048_576).meta({
    title: 'Workspace limit',
    description: 'A command that exceeds it is ended',
    unit: 'MB',
  }),
  timeout_seconds: z.int().min(1).max(86_400).meta({ title: 'Time limit', unit: 'seconds' }),
  idle_stop_seconds: z.int().min(10).max(604_800).meta({
    title: 'Stop when idle',
    unit: 'seconds',
  }),
  env: Env.meta({ title: 'Environment variables', format: 'api-only' }),
})
export type SandboxConfig = z.output<typeof SandboxConfig>

/** The limits are the highest that a container may have. */
export const sandboxConfig = defineSection({
  name: 'sandbox',
  title: 'the sandbox configuration',
  access: 'admin',
  schema: SandboxConfig,
  defaults: (): SandboxConfig => ({
    enabled: true,
    backend: 'auto',
    image: 'docker.io/library/debian:stable-slim',
    network: 'none',
    cpu_limit: 1,
    memory_mb: 512,
    pids_limit: 128,
    workspace_access: 'rw',
    disk_mb: 1_024,
    timeout_seconds: 300,
    idle_stop_seconds: 900,
    env: {},
  }),
})

export const Container = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['running', 'stopped']),
  backend: Backend,
  image: z.string(),
  network: limits.network,
  cpu_limit: z.number(),
  memory_mb: z.number(),
  pids_limit: z.number(),
  workspace_access: limits.workspace_access,
  env: z.record(z.string(), z.string()),
  /** The agent whose commands it runs; null if a person made it. */
  agent_id: z.string().nullable(),
  created_at: z.string(),
  last_used_at: z.string(),
})
export type Container = z.output<typeof Container>

const name = z.string().trim().min(1).max(100)

/** Absent limits are those of the configuration, which are also the highest. Nothing else, such as a mount, can be asked for. */
export const NewContainer = z.object({
  name: name.default('Container'),
  image: Image.optional().meta({ description: 'Only administrators may choose another than the configured one' }),
  network: limits.network.optional(),
  cpu_limit: limits.cpu_limit.optional(),
  memory_mb: limits.memory_mb.optional(),
  pids_limit: limits.pids_limit.optional(),
  workspace_access: limits.workspace_access.optional(),
  env: Env.default({}),
})
export type NewContainer = z.output<typeof NewContainer>

export const ContainerChanges = z.object({ name })
export type ContainerChanges = z.output<typeof ContainerChanges>

export const RunCommand = z.object({
  /** A text is run by the shell of the container. */
  command: z.union([z.string().trim().min(1).max(100_000), z.array(z.string().max(100_000)).min(1).max(1_000)]),
  stdin: z.string().max(900_000).default(''),
  timeout_seconds: z.int().min(1).max(86_400).optional().meta({
    description: 'Default and maximum: from the configuration',
  }),
  env: Env.default({}),
  workdir: z
    .string()
    .regex(/^\/[^\0]*$/, 'must be an absolute path')
    .max(1_000)
    .optional(),
})
export type RunCommand = z.output<typeof RunCommand>

const ended = {
  /** Null if the command was ended from outside. */
  exit_code: z.int().nullable(),
  /** Why it was ended; null if it ended itself. */
  error: z.string().nullable(),
  timed_out: z.boolean(),
  /** Whether output is missing because there was too much. */
  truncated: z.boolean(),
  duration_ms: z.int(),
}

export const CommandEvents = {
  start: z.object({ exec_id: z.string() }),
  output: z.object({ stream: z.enum(['stdout', 'stderr']), text: z.string() }),
  exit: z.object({ exec_id: z.string(), ...ended }),
}
export type CommandEnd = z.output<typeof CommandEvents.exit>

/** A finished command. `output` is the end of what it printed. */
export const LogEntry = z.object({
  id: z.string(),
  command: z.string(),
  started_at: z.string(),
  output: z.string(),
  ...ended,
})
export type LogEntry = z.output<typeof LogEntry>

export const WorkspaceFile = z.object({
  path: z.string(),
  kind: z.enum(['file', 'folder']),
  size_bytes: z.int(),
  modified_at: z.string(),
})

export const SandboxStatus = z.object({
  enabled: z.boolean(),
  available: z.boolean(),
  /** The engine of new containers. */
  backend: Backend.nullable(),
  /** Why nothing can run, and what to do. */
  problem: z.string().nullable(),
  engines: z.array(
    z.object({
      backend: Backend,
      available: z.boolean(),
      version: z.string().nullable(),
      problem: z.string().nullable(),
    }),
  ),
  containers: z.object({ total: z.int(), running: z.int() }),
})
export type SandboxStatus = z.output<typeof SandboxStatus>
