import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { catalogue, maxFilePart } from '../../../runtime/devices/catalogue.ts'
import type { DeviceHealth } from '../../../runtime/devices/schema.ts'
import { sumOf } from '../../../runtime/numbers.ts'
import { machineRoot } from '../../../runtime/paths.ts'
import { type Files, PathRefused } from '../../../runtime/ports/files.ts'
import { createDisk } from '../../disk/files.ts'
import { findProgram } from '../../process/programs.ts'
import { ActionFailed, runAllowed, runHelper, startHelper } from './programs.ts'
import { type Capability, firstCamera, type Need, powershell, type System, type Way, waysOf } from './ways.ts'

export type Action = (params: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>

export interface ActionOptions {
  /** The only folder whose files may be read and written; none if absent. */
  folder?: string | undefined
  /** Programs that `system.run` may start, exactly as they are named in the command; off if empty. */
  allow: readonly string[]
  /** The client's own files, which are never shared. */
  private_folder: string
}

const system = process.platform as System

/** The commands that this machine supports, without those whose programs, display or parts are missing. */
export async function actionsOf(options: ActionOptions): Promise<Record<string, Action>> {
  return {
    ...programActions(),
    health: async () => measureHealth(),
    ...(options.folder === undefined ? {} : await files(options.folder, options.private_folder)),
    ...(options.allow.length > 0 && { 'system.run': run(options.allow) }),
  }
}

/** Runs one command with validated parameters. Rejects with `ActionFailed` for errors that a person should read. */
export async function perform(
  actions: Record<string, Action>,
  { command, params, signal }: { command: string; params: unknown; signal: AbortSignal },
): Promise<unknown> {
  const action = Object.hasOwn(actions, command) ? actions[command] : undefined
  const checked = catalogue[command]?.params.safeParse(params)
  if (!action || !checked?.success) throw new ActionFailed(`This device cannot run ${command} with these parameters`)
  return action(checked.data as Record<string, unknown>, signal)
}

type Actions = Record<string, Action>

const records = (): boolean => {
  try {
    return readFileSync('/proc/asound/pcm', 'utf8').includes('capture')
  } catch {
    return false
  }
}

const met: Record<Need, () => boolean> = {
  wayland: () => Boolean(process.env.WAYLAND_DISPLAY),
  x11: () => Boolean(process.env.DISPLAY),
  display: () => met.wayland() || met.x11(),
  camera: () => existsSync(firstCamera),
  microphone: records,
}

/** How this machine does something now; null if it cannot. */
function wayOf(capability: Capability): Way | null {
  const works = ({ programs, needs = [] }: Way) =>
    programs.every((program) => findProgram([program])) && needs.every((need) => met[need]())
  return waysOf(capability, system).find(works) ?? null
}

type Values = Record<string, string>

const argumentsOf = ({ args }: Way, values: Values): string[] =>
  args.map((arg) => arg.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole))

const variablesOf = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`HEARTHD_${name.toUpperCase()}`, value]))

async function follow(way: Way, values: Values, signal?: AbortSignal): Promise<Buffer> {
  const output = await runHelper(way.programs[0], argumentsOf(way, values), {
    env: variablesOf(values),
    ...(signal && { signal }),
  })
  if (way.afterwards) await follow(way.afterwards, values, signal)
  return output
}

const maxText = 500_000
/** Maximum bytes of a file that is sent at once; a socket frame is limited to 1 MiB. */
const maxBytes = 700 * 1024

/** Has a program write a file that only this user can read, and returns its content. */
async function captured(way: Way, mime_type: string, values: Values, signal: AbortSignal) {
  const folder = await mkdtemp(join(os.tmpdir(), 'hearthd-'))
  const file = join(folder, mime_type === 'image/jpeg' ? 'picture.jpg' : 'sound.wav')
  try {
    await follow(way, { ...values, file }, signal)
    const bytes = await readFile(file)
    if (bytes.length > maxBytes) throw new ActionFailed(`The file has ${bytes.length} bytes; the limit is ${maxBytes}`)
    return { mime_type, base64: bytes.toString('base64') }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a capability returns, once there is a way. */
const kinds: Record<Capability, (way: Way, params: Record<string, unknown>, signal: AbortSignal) => unknown> = {
  async notify(way, { title, body }, signal) {
    await follow(way, { title: String(title), body: String(body) }, signal)
    return { shown: true }
  },
  async open_url(way, { url }) {
    // A parsed URL starts with its scheme, so it cannot be mistaken for an option.
    const { href } = new URL(String(url))
    await startHelper(way.programs[0], argumentsOf(way, { url: href }))
    return { opened: href }
  },
  'clipboard.read': async (way, _, signal) => ({
    text: (await follow(way, {}, signal)).toString('utf8').slice(0, maxText),
  }),
  async 'clipboard.write'(way, { text }, signal) {
    await startHelper(way.programs[0], argumentsOf(way, {}), { input: String(text), signal })
    return { written: true }
  },
  screenshot: (way, _, signal) => captured(way, 'image/jpeg', {}, signal),
  camera: (way, _, signal) => captured(way, 'image/jpeg', {}, signal),
  microphone: (way, { seconds }, signal) => captured(way, 'audio/wav', { seconds: String(seconds) }, signal),
}

/** The capabilities that programs of this machine have, checked now. */
function programActions(): Actions {
  const names = Object.keys(kinds) as Capability[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const way = wayOf(name)
      return way ? [[name, async (params, signal) => kinds[name](way, params, signal)] as [string, Action]] : []
    }),
  )
}

/** File access within one folder, protected like the daemon's folders against `..`, links and swapped paths. */
async function files(folder: string, private_folder: string): Promise<Actions> {
  // Links can be resolved only if the folder exists.
  await mkdir(private_folder, { recursive: true, mode: 0o700 })
  const disk = createDisk(private_folder)
  const shared = await disk.machineFolder(await realpath(folder), [await realpath(folder)])
  if (!shared.ok) throw new ActionFailed(`The folder ${folder} cannot be shared: it is ${shared.reason}`)
  const root = machineRoot(shared.path)
  const safely =
    (act: (params: Record<string, unknown>) => Promise<unknown>): Action =>
    async (params) => {
      try {
        return await act(params)
      } catch (thrown) {
        if (thrown instanceof PathRefused) throw new ActionFailed('The path is outside the shared folder')
        throw thrown
      }
    }
  return {
    'files.list': safely(async ({ path }) => {
      const all = await disk.list(root, withinFolder(path) || undefined)
      return { files: all.slice(0, 1_000), truncated: all.length > 1_000 }
    }),
    'files.pull': safely(async ({ path, offset }) => pull(disk, root, withinFolder(path), Number(offset))),
    'files.push': safely(async ({ path, text, base64, append }) => {
      const bytes = base64 === undefined ? Buffer.from(String(text)) : Buffer.from(String(base64), 'base64')
      return push(disk, root, { path: withinFolder(path), bytes, append: append === true })
    }),
  }
}

/** A path below the shared folder, which is `.`, `/` or empty itself. */
const withinFolder = (path: unknown): string =>
  String(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

async function pull(disk: Files, root: string, path: string, offset: number) {
  const file = await disk.stat(root, path)
  if (file?.kind !== 'file') throw new ActionFailed(`There is no file ${path}`)
  const stream = await disk.readStream(root, path, { start: offset, end: offset + maxFilePart })
  if (!stream) throw new ActionFailed(`There is no file ${path}`)
  const part = Buffer.from(await new Response(stream).arrayBuffer())
  const next = offset + part.length
  const next_offset = next < file.size_bytes && part.length > 0 ? next : null
  return { path, size_bytes: file.size_bytes, offset, next_offset, base64: part.toString('base64') }
}

async function push(
  disk: Files,
  root: string,
  { path, bytes, append }: { path: string; bytes: Buffer; append: boolean },
) {
  return disk.change(root, path, async (file) => {
    const before = append ? await disk.readStream(root, path) : null
    async function* pieces() {
      if (before) yield* before as unknown as AsyncIterable<Uint8Array>
      yield bytes
    }
    const { size_bytes } = await file.writeStream(pieces())
    return { path, size_bytes }
  })
}

function run(allow: readonly string[]): Action {
  return async ({ command, args }, signal) => {
    if (!allow.includes(String(command)))
      throw new ActionFailed(`${command} is not on the list of this device: ${allow.join(', ')}`)
    const program = findProgram([String(command)])
    if (!program) throw new ActionFailed(`There is no program ${command}`)
    return runAllowed(program, args as string[], signal)
  }
}

let last = os.cpus().map(({ times }) => times)

/** Percent of all processors since the last call. */
function cpuPercent(): number | null {
  const now = os.cpus().map(({ times }) => times)
  const sum = (all: typeof last, names: (keyof (typeof last)[number])[]) =>
    sumOf(all, (times) => names.reduce((part, name) => part + times[name], 0))
  const names = ['user', 'nice', 'sys', 'irq', 'idle'] as const
  const whole = sum(now, [...names]) - sum(last, [...names])
  const idle = sum(now, ['idle']) - sum(last, ['idle'])
  last = now
  return whole > 0 ? Math.round((100 * (whole - idle)) / whole) : null
}

/** Milliseconds; the first frame waits for this and must be sent within 10 s. */
const batteryTimeout = 3_000

export async function measureHealth(): Promise<Omit<DeviceHealth, 'latency_ms'>> {
  const disk = await statfs(os.homedir()).catch(() => null)
  return {
    battery_pct: await Promise.race([battery().catch(() => null), sleep(batteryTimeout, null, { ref: false })]),
    cpu_pct: cpuPercent(),
    memory_pct: Math.round(100 * (1 - os.freemem() / os.totalmem())),
    disk_free_bytes: disk ? disk.bavail * disk.bsize : null,
  }
}

async function battery(): Promise<number | null> {
  if (system === 'darwin') return percentIn((await runHelper('pmset', ['-g', 'batt'])).toString())
  if (system === 'win32')
    return percentIn(`${await follow(powershell('(Get-CimInstance Win32_Battery).EstimatedChargeRemaining'), {})}%`)
  const folder = '/sys/class/power_supply'
  const name = (await readdir(folder)).find((one) => one.startsWith('BAT'))
  return name ? percentIn(`${(await readFile(join(folder, name, 'capacity'), 'utf8')).trim()}%`) : null
}

function percentIn(text: string): number | null {
  const percent = /(\d{1,3})\s?%/.exec(text)?.[1]
  return percent === undefined ? null : Math.min(100, Number(percent))
}
