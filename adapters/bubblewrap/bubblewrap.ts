import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, existsSync, lstatSync, readlinkSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { constants as os } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Transform, type Writable } from 'node:stream'
import type { Clock } from '../../runtime/ports/clock.ts'
import {
  type Command,
  type CommandOutput,
  type ContainerSpec,
  type EngineStatus,
  type SandboxEngine,
  SandboxError,
} from '../../runtime/ports/sandbox.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import { signalGroup } from '../process/programs.ts'
import { memoryOf } from './memory.ts'
import { systemCallFilter } from './system-calls.ts'

interface BubblewrapOptions {
  /** The folder that contains the workspaces. */
  folder: string
  clock: Clock
  /** The executable. Default: `bwrap` on the PATH. */
  program?: string
}

/** User and group id of commands if the daemon runs as root. */
export const sandboxUser = 65_534

const megabyte = 1024 * 1024
const memoryCheck = 250

const install =
  'Install bubblewrap and util-linux (for example: apt-get install bubblewrap util-linux), and allow unprivileged user namespaces'

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * File descriptors passed to bubblewrap: the workspace for `--bind-fd`, further arguments for `--args`, and the filter for
 * `--seccomp`.
 */
const workspaceFd = 3
const argumentsFd = 4
const filterFd = 5

const filter = systemCallFilter(process.arch)

/**
 * A sandbox engine that runs each command in its own namespaces, with read-only access to the programs of this machine.
 * Nothing is kept between two commands: each starts with an empty /tmp, and all its processes end with it.
 */
export class Bubblewrap implements SandboxEngine {
  readonly backend = 'bubblewrap'
  readonly persistent = false
  readonly #options: Required<BubblewrapOptions>
  readonly #running = new Map<string, Set<AbortController>>()

  constructor(options: BubblewrapOptions) {
    this.#options = { program: 'bwrap', ...options }
  }

  async status(): Promise<EngineStatus> {
    if (process.platform !== 'linux')
      return { available: false, version: null, problem: 'bubblewrap works on Linux only' }
    const version = await this.#version()
    if (!version) return { available: false, version: null, problem: `bubblewrap is not installed. ${install}` }
    const problem = await this.#try()
    return {
      available: problem === null,
      version,
      problem: problem && `bubblewrap cannot start a command here: ${problem}. ${install}`,
    }
  }

  async create({ id }: ContainerSpec): Promise<void> {
    await (await this.#openWorkspace(id)).close()
  }

  start(spec: ContainerSpec): Promise<void> {
    return this.create(spec)
  }

  async stop(id: string): Promise<void> {
    for (const stop of this.#running.get(id) ?? []) stop.abort(new SandboxError('The container was stopped'))
  }

  remove(id: string): Promise<void> {
    return this.stop(id)
  }

  /** Nothing survives the daemon: `--die-with-parent`. */
  list = async () => []

  async *run(spec: ContainerSpec, command: Command, signal: AbortSignal): AsyncGenerator<CommandOutput, void> {
    const stop = new AbortController()
    const stops = this.#running.get(spec.id) ?? new Set()
    this.#running.set(spec.id, stops.add(stop))
    const workspace = spec.workspace_access === 'none' ? null : await this.#openWorkspace(spec.id)
    try {
      const limits = AbortSignal.any([signal, stop.signal])
      yield* this.#start(argumentsOf(spec, command), { spec, command, workspace, signal: limits, stop })
    } finally {
      stops.delete(stop)
      if (stops.size === 0) this.#running.delete(spec.id)
      await workspace?.close()
    }
  }

  async *#start(
    args: string[],
    { spec, command, workspace, signal, stop }: Started,
  ): AsyncGenerator<CommandOutput, void> {
    signal.throwIfAborted()
    const variables = environmentOf(spec, command)
    const child = this.#spawn(args, workspace)
    for (const [fd, bytes] of [
      [argumentsFd, variables],
      [filterFd, filter],
    ] as const) {
      const pipe = child.stdio.at(fd) as Writable
      pipe.on('error', () => undefined)
      pipe.end(bytes)
    }
    const closed = once(child, 'close').catch((cause: Error) => {
      throw new SandboxError(`bubblewrap could not start: ${cause.message}`)
    })
    // Also ends the first process of the namespace, which does not end with bubblewrap while that starts.
    const kill = () => {
      if (child.exitCode === null && child.signalCode === null) signalGroup(child)
    }
    signal.addEventListener('abort', kill, { once: true })
    const ended = new AbortController()
    void this.#watchMemory(child.pid, { spec, stop, signal: ended.signal })
    child.stdin.on('error', () => undefined)
    child.stdin.end(command.stdin)
    const output = merged(child)
    closed.catch((cause: Error) => output.destroy(cause))
    try {
      yield* output as AsyncIterable<CommandOutput>
      signal.throwIfAborted()
      const [code, killed] = (await closed) as [number | null, NodeJS.Signals | null]
      yield { exit_code: code ?? 128 + os.signals[killed ?? 'SIGKILL'] }
    } finally {
      ended.abort()
      signal.removeEventListener('abort', kill)
      kill()
      await closed.catch(() => undefined)
    }
  }

  #spawn(args: string[], workspace: FileHandle | null): ChildProcessWithoutNullStreams {
    try {
      return spawn(this.#options.program, args, {
        stdio: ['pipe', 'pipe', 'pipe', workspace ? workspace.fd : 'ignore', 'pipe', 'pipe'],
        env: { PATH: path },
        cwd: '/',
        // A session and a group of its own, to be ended together.
        detached: true,
      }) as unknown as ChildProcessWithoutNullStreams
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== 'E2BIG') throw thrown
      throw new SandboxError('The command is too long; write it to a file of the workspace, or pass data as stdin')
    }
  }

  /** Ends a command whose processes together need more memory than they may use. */
  async #watchMemory(
    pid: number | undefined,
    { spec, stop, signal }: { spec: ContainerSpec; stop: AbortController; signal: AbortSignal },
  ): Promise<void> {
    if (pid === undefined) return
    try {
      for (;;) {
        await this.#options.clock.after(memoryCheck, signal)
        if ((await memoryOf(pid)) > spec.memory_mb * megabyte)
          stop.abort(new SandboxError(`The command needs more than ${spec.memory_mb} MB of memory`))
      }
    } catch {
      // The command has ended.
    }
  }

  /** The open folder: nobody can swap it for a link before it is mounted. */
  async #openWorkspace(id: string): Promise<FileHandle> {
    const folder = join(this.#options.folder, id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    if (isRoot()) await handle.chown(sandboxUser, sandboxUser)
    return handle
  }

  #version(): Promise<string | null> {
    return new Promise((resolve) => {
      const child = spawn(this.#options.program, ['--version'], {
        env: { PATH: path },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let text = ''
      child.stdout.on('data', (bytes: Buffer) => {
        text += bytes
      })
      child.on('error', () => resolve(null))
      child.on('close', () => resolve(text.trim().slice(0, 100).split(' ')[1] ?? null))
    })
  }

  /** Runs a command that does nothing; why it failed, or null. */
  async #try(): Promise<string | null> {
    const spec: ContainerSpec = {
      ...{ id: 'probe', image: '', network: 'none', workspace_access: 'none', env: {} },
      ...{ cpu_limit: 1, memory_mb: 256, pids_limit: 64 },
    }
    const command = { argv: ['true'], stdin: new Uint8Array(), env: {}, workdir: '/', timeout_seconds: 10 }
    const late = AbortSignal.timeout(10_000)
    try {
      let text = ''
      for await (const output of this.run(spec, command, late)) {
        if ('exit_code' in output) return output.exit_code === 0 ? null : text.trim().slice(-300) || 'it failed'
        text += Buffer.from(output.bytes)
      }
      return 'it ended without an exit code'
    } catch (thrown) {
      return errorMessage(thrown)
    }
  }
}

interface Started {
  spec: ContainerSpec
  command: Command
  workspace: FileHandle | null
  signal: AbortSignal
  stop: AbortController
}

const isRoot = () => process.getuid?.() === 0

/** Links and folders of the root that lead to programs. */
const rootEntries = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap((name) => {
  const entry = `/${name}`
  if (!existsSync(entry)) return []
  return lstatSync(entry).isSymbolicLink() ? ['--symlink', readlinkSync(entry), entry] : ['--ro-bind', entry, entry]
})

/** Programs look these up; none holds anything about this machine's users. */
const etc = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ssl/certs', '/etc/ca-certificates.conf']

/** Everything that the command sees, but /proc and /dev. */
const rootOf = (workspace: readonly string[]): string[] => [
  ...words('--ro-bind /usr /usr'),
  ...rootEntries,
  ...['/etc', '/etc/ssl'].flatMap((folder) => ['--perms', '0755', '--dir', folder]),
  ...etc.flatMap((entry) => ['--ro-bind-try', entry, entry]),
  ...workspace,
]

const tmpBytes = 64 * megabyte

/** The arguments of a fixed part of a command line. */
const words = (line: string): string[] => line.split(' ')

/**
 * A daemon that runs as root mounts the workspace first and gives up being root, so that the rest is the same for all
 * daemons: a namespace of an unprivileged user who maps to nobody else.
 */
function argumentsOf(spec: ContainerSpec, command: Command): string[] {
  const bind = spec.workspace_access === 'ro' ? '--ro-bind' : '--bind'
  const hasWorkspace = spec.workspace_access !== 'none'
  const fromFd = hasWorkspace ? [`${bind}-fd`, String(workspaceFd), '/workspace'] : []
  if (!isRoot()) return inner(spec, command, fromFd)
  const mounted = hasWorkspace ? [bind, '/workspace', '/workspace'] : []
  const user = String(sandboxUser)
  return [
    ...rootOf(fromFd),
    ...words('--dev /dev --bind /proc /proc --tmpfs /tmp --die-with-parent --unshare-pid'),
    ...words('--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP'),
    ...words(`-- setpriv --reuid ${user} --regid ${user} --clear-groups --inh-caps=-all`),
    ...words('--bounding-set=-all --no-new-privs bwrap'),
    ...inner(spec, command, mounted),
  ]
}

/**
 * The environment variables of a command as arguments for `--args`. Every user of this machine can read a process's
 * arguments, and variables of bubblewrap itself, such as LD_PRELOAD, would take effect outside the sandbox.
 */
function environmentOf(spec: ContainerSpec, command: Command): string {
  const env = { PATH: path, HOME: '/tmp', LANG: 'C.UTF-8', ...spec.env, ...command.env }
  const parts = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  // NUL would start another argument.
  if (parts.some((part) => part.includes('\0')))
    throw new SandboxError('Environment variables must not contain NUL characters')
  return parts.join('\0')
}

function inner(spec: ContainerSpec, command: Command, workspace: readonly string[]): string[] {
  const hasNetwork = spec.network === 'full'
  return [
    ...words(`--unshare-user --unshare-all${hasNetwork ? ' --share-net' : ''} --disable-userns --die-with-parent`),
    ...words(`--cap-drop ALL --hostname sandbox --uid ${sandboxUser} --gid ${sandboxUser}`),
    ...rootOf(workspace),
    ...(hasNetwork ? words('--ro-bind-try /etc/resolv.conf /etc/resolv.conf') : []),
    ...words(`--proc /proc --dev /dev --size ${tmpBytes} --tmpfs /dev/shm --remount-ro /dev`),
    ...words(`--size ${tmpBytes} --tmpfs /tmp --remount-ro / --clearenv --args ${argumentsFd}`),
    ...(filter ? words(`--seccomp ${filterFd}`) : []),
    ...['--chdir', command.workdir, ...words('-- nice -n 10'), ...limits(spec, command), '--'],
    ...command.argv,
  ]
}

/** Limits of each process; the memory of all together is watched. */
function limits({ pids_limit, memory_mb, cpu_limit }: ContainerSpec, { timeout_seconds }: Command): string[] {
  return [
    'prlimit',
    `--nproc=${pids_limit}`,
    // Address space: some programs reserve far more than they use.
    `--as=${Math.max(4 * memory_mb, 4_096) * megabyte}`,
    `--data=${memory_mb * megabyte}`,
    `--cpu=${Math.ceil(timeout_seconds * cpu_limit)}`,
    '--core=0',
    '--nofile=1024',
  ]
}

/** The output of both streams in the order of arrival, with backpressure. */
function merged(child: ChildProcessWithoutNullStreams): PassThrough {
  const output = new PassThrough({ objectMode: true })
  let open = 2
  for (const stream of ['stdout', 'stderr'] as const) {
    const named = new Transform({
      readableObjectMode: true,
      transform: (bytes, _, done) => done(null, { stream, bytes } satisfies CommandOutput),
    })
    named.once('end', () => {
      open -= 1
      if (open === 0) output.end()
    })
    child[stream].pipe(named).pipe(output, { end: false })
  }
  return output
}
