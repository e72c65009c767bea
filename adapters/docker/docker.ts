import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import {
  type Command,
  type CommandOutput,
  type ContainerSpec,
  type EngineStatus,
  type SandboxEngine,
  SandboxError,
} from '../../runtime/ports/sandbox.ts'
import { EngineApi, readFrames } from './api.ts'

interface DockerOptions {
  backend: 'docker' | 'podman'
  /** Folder of the workspaces. */
  folder: string
  /** Candidate sockets, in order. Default: the usual ones. */
  sockets?: readonly string[]
  /** User and group of the commands. */
  user: { uid: number; gid: number }
  /** Time limit for engine responses except image downloads, in milliseconds. Default: a minute. */
  time_limit?: number
}

interface Engine {
  api: EngineApi
  version: string
  rootless: boolean
}

const megabyte = 1024 * 1024
const answerTime = 60_000
const downloadTime = 30 * 60_000
/** Seconds for processes to exit before they are killed. */
const stopGrace = 1

const installs = {
  docker: 'Install docker (https://docs.docker.com/engine/install) and start its service',
  podman: 'Install podman and start its socket: systemctl --user enable --now podman.socket',
}

/** Containers of docker or podman, through the Engine API. */
export class Docker implements SandboxEngine {
  readonly backend: 'docker' | 'podman'
  readonly persistent = true
  readonly #options: DockerOptions
  readonly #label: string
  #engine: Promise<Engine | string> | undefined

  constructor(options: DockerOptions) {
    this.backend = options.backend
    this.#options = options
    this.#label = createHash('sha256').update(options.folder).digest('hex').slice(0, 16)
  }

  async status(): Promise<EngineStatus> {
    this.#engine = this.#connect()
    const engine = await this.#engine
    return typeof engine === 'string'
      ? { available: false, version: null, problem: engine }
      : { available: true, version: engine.version, problem: null }
  }

  async create(spec: ContainerSpec, signal: AbortSignal): Promise<void> {
    const engine = await this.#require()
    await this.#pull(engine, spec.image, signal)
    await this.#openWorkspace(spec.id)
    const path = `/containers/create?name=${nameOf(spec.id)}`
    await engine.api.call(path, { method: 'POST', body: this.#definition(spec, engine), signal })
    await engine.api.call(`/containers/${nameOf(spec.id)}/start`, { method: 'POST', allow: [304], signal })
  }

  async start(spec: ContainerSpec, signal: AbortSignal): Promise<void> {
    const { api } = await this.#require()
    const { status } = await api.call(`/containers/${nameOf(spec.id)}/start`, {
      method: 'POST',
      allow: [304, 404],
      signal,
    })
    if (status === 404) await this.create(spec, signal)
  }

  async stop(id: string): Promise<void> {
    const { api } = await this.#require()
    await api.call(`/containers/${nameOf(id)}/stop?t=${stopGrace}`, { method: 'POST', allow: [304, 404] })
  }

  async remove(id: string): Promise<void> {
    const { api } = await this.#require()
    await api.call(`/containers/${nameOf(id)}?force=true&v=true`, { method: 'DELETE', allow: [404] })
  }

  async list(): Promise<{ id: string; running: boolean }[]> {
    const { api } = await this.#require()
    const filters = encodeURIComponent(JSON.stringify({ label: [`hearthd.sandbox=${this.#label}`] }))
    const { json } = await api.call(`/containers/json?all=true&filters=${filters}`)
    return (json as { Names: string[]; State: string }[]).flatMap(({ Names, State }) => {
      const name = Names.map((one) => one.replace(/^\//, '')).find((one) => one.startsWith(prefix))
      return name ? [{ id: name.slice(prefix.length), running: State === 'running' }] : []
    })
  }

  async *run(spec: ContainerSpec, command: Command, signal: AbortSignal): AsyncGenerator<CommandOutput, void> {
    const { api } = await this.#require()
    signal.throwIfAborted()
    const body = {
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false },
      Cmd: command.argv,
      Env: environment(command.env),
      WorkingDir: command.workdir,
    }
    const { json } = await api.call(`/containers/${nameOf(spec.id)}/exec`, { method: 'POST', body, signal })
    const { Id } = json as { Id: string }
    let stream: Duplex | IncomingMessage | undefined
    let done = false
    const kill = () => stream?.destroy()
    signal.addEventListener('abort', kill, { once: true })
    try {
      stream = await api.hijack(`/exec/${Id}/start`, { Detach: false, Tty: false }, signal)
      signal.throwIfAborted()
      if ('end' in stream) stream.end(command.stdin)
      yield* readFrames(stream)
      signal.throwIfAborted()
      yield { exit_code: await this.#exitCode(api, Id) }
      done = true
    } catch (thrown) {
      signal.throwIfAborted()
      throw thrown instanceof SandboxError ? thrown : new SandboxError('The connection to the engine was lost')
    } finally {
      signal.removeEventListener('abort', kill)
      stream?.destroy()
      // The Engine API cannot end a single command, so the whole container is killed.
      if (!done && (stream || signal.aborted))
        await api.call(`/containers/${nameOf(spec.id)}/kill`, { method: 'POST', allow: [404, 409, 500] })
    }
  }

  /** The engine may record the end a moment after the stream has ended. */
  async #exitCode(api: EngineApi, id: string): Promise<number> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const { json } = await api.call(`/exec/${id}/json`)
      const { Running, ExitCode } = json as { Running: boolean; ExitCode: number | null }
      if (!Running && ExitCode !== null) return ExitCode
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new SandboxError('The engine reports no exit code; the container has ended')
  }

  /** A working engine, or what to do. */
  async #connect(): Promise<Engine | string> {
    const sockets = (this.#options.sockets ?? usualSockets[this.backend]()).filter((path) => existsSync(path))
    for (const socket of sockets) {
      const api = new EngineApi(socket, this.#options.time_limit ?? answerTime)
      const soon = { time_limit: 5_000 }
      const answers = await Promise.all([api.call('/version', soon), api.call('/info', soon)]).catch(() => null)
      if (!answers) continue
      const [version, info] = answers.map(({ json }) => json) as [Version, Info]
      // Docker's usual socket may be podman's.
      const isPodman = version.Components?.some(({ Name }) => /podman/i.test(Name)) ?? false
      if (isPodman !== (this.backend === 'podman')) continue
      const rootless = info.SecurityOptions?.some((one) => one.includes('rootless')) ?? false
      const engineVersion = version.Components?.find(({ Name }) => /podman|engine/i.test(Name))?.Version
      return { api, version: engineVersion ?? version.Version ?? 'unknown', rootless }
    }
    const { backend } = this
    return sockets.length === 0
      ? `There is no ${backend} service on this machine. ${installs[backend]}`
      : `The ${backend} service does not answer. ${installs[backend]}`
  }

  async #require(): Promise<Engine> {
    this.#engine ??= this.#connect()
    const engine = await this.#engine
    if (typeof engine !== 'string') return engine
    this.#engine = undefined
    throw new SandboxError(engine)
  }

  async #pull({ api }: Engine, image: string, signal: AbortSignal): Promise<void> {
    const response = await api.call(`/images/${encodeURIComponent(image)}/json`, { allow: [404], signal })
    if (response.status !== 404) return
    const { json } = await api.call(`/images/create?fromImage=${encodeURIComponent(withTag(image))}`, {
      method: 'POST',
      signal,
      time_limit: downloadTime,
    })
    const { error } = (json ?? {}) as { error?: string }
    if (error) throw new SandboxError(`The image ${image} cannot be downloaded: ${error.slice(0, 300)}`)
  }

  /** Callers can choose only the limits, the image, the network and the access to the workspace. */
  #definition(spec: ContainerSpec, { rootless }: Engine) {
    const { uid, gid } = this.#options.user
    // Root of a rootless docker is the daemon's own user; only it can write the workspace.
    const user = rootless && this.backend === 'docker' ? '0:0' : `${uid}:${gid}`
    const access = spec.workspace_access
    return {
      Image: spec.image,
      Entrypoint: ['sleep', '2147483647'],
      Cmd: [],
      User: user,
      WorkingDir: access === 'none' ? '/' : '/workspace',
      Hostname: 'sandbox',
      NetworkDisabled: spec.network === 'none',
      Env: environment({ HOME: '/tmp', ...spec.env }),
      Labels: { 'hearthd.sandbox': this.#label },
      HostConfig: {
        NetworkMode: spec.network === 'none' ? 'none' : 'default',
        ReadonlyRootfs: true,
        Privileged: false,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: spec.pids_limit,
        Memory: spec.memory_mb * megabyte,
        MemorySwap: spec.memory_mb * megabyte,
        NanoCpus: Math.round(spec.cpu_limit * 1e9),
        IpcMode: 'private',
        ShmSize: 16 * megabyte,
        Tmpfs: { '/tmp': 'rw,nosuid,nodev,size=64m,mode=1777' },
        Binds: access === 'none' ? [] : [`${join(this.#options.folder, spec.id)}:/workspace:${access}`],
        Ulimits: [
          { Name: 'nofile', Soft: 1_024, Hard: 1_024 },
          { Name: 'nproc', Soft: 4_096, Hard: 4_096 },
          { Name: 'core', Soft: 0, Hard: 0 },
        ],
        LogConfig: { Type: this.backend === 'docker' ? 'none' : 'k8s-file', Config: {} },
        RestartPolicy: { Name: 'no' },
        ...(rootless && this.backend === 'podman' && { UsernsMode: 'keep-id' }),
      },
    }
  }

  async #openWorkspace(id: string): Promise<void> {
    const folder = join(this.#options.folder, id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
    const handle: FileHandle = await open(folder, flags)
    const { uid, gid } = this.#options.user
    if (process.getuid?.() === 0) await handle.chown(uid, gid)
    await handle.close()
  }
}

interface Version {
  Version?: string
  Components?: { Name: string; Version: string }[]
}

interface Info {
  SecurityOptions?: string[]
}

const prefix = 'hearthd-'
const nameOf = (id: string) => `${prefix}${id}`
const environment = (env: Record<string, string>) => Object.entries(env).map(([name, value]) => `${name}=${value}`)
const withTag = (image: string) => (/[:@][^/]*$/.test(image) ? image : `${image}:latest`)

/** `unix:///run/x.sock` of an environment variable. */
const fromVariable = (name: string): string[] => {
  const [, path] = /^unix:\/\/(\/.*)$/.exec(process.env[name] ?? '') ?? []
  return path ? [path] : []
}

const runtimeFolder = () => process.env.XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`

const usualSockets = {
  docker: () => [
    ...fromVariable('DOCKER_HOST'),
    '/var/run/docker.sock',
    join(runtimeFolder(), 'docker.sock'),
    join(homedir(), '.docker/run/docker.sock'),
  ],
  podman: () => [
    ...fromVariable('CONTAINER_HOST'),
    ...fromVariable('DOCKER_HOST'),
    join(runtimeFolder(), 'podman/podman.sock'),
    '/run/podman/podman.sock',
  ],
}
