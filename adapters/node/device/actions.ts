import { mkdir, readdir, readFile, realpath, rm, statfs } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { catalogue, maxFilePart } from '../../../runtime/devices/catalogue.ts'
import type { DeviceHealth } from '../../../runtime/devices/schema.ts'
import { sumOf } from '../../../runtime/numbers.ts'
import { machineRoot } from '../../../runtime/paths.ts'
import { type Files, PathRefused } from '../../../runtime/ports/files.ts'
import { createDisk } from '../../disk/files.ts'
import { ActionFailed, findProgram, firstProgram, runAllowed, runHelper, startHelper } from './programs.ts'

export type Action = (params: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>

export interface ActionOptions {
  /** The only folder whose files may be read and written; none if absent. */
  folder?: string | undefined
  /** Programs that `system.run` may start, exactly as they are named in the command; off if empty. */
  allow: readonly string[]
  /** The client's own files, which are never shared. */
  private_folder: string
}

type System = 'darwin' | 'linux' | 'win32'
const system = process.platform as System

const powershell = (script: string) => ['-NoProfile', '-NonInteractive', '-Command', script]

/** The commands that this machine supports, without those whose programs are missing. */
export async function actionsOf(options: ActionOptions): Promise<Record<string, Action>> {
  const found = await Promise.all([notify(), openUrl(), clipboard(), screenshot()])
  return {
    ...Object.assign({}, ...found),
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
  if (!action || !checked?.success)
    throw new ActionFailed(`This device cannot run ${command} with these parameters`)
  return action(checked.data as Record<string, unknown>, signal)
}

type Known = Record<string, Action>

async function notify(): Promise<Known> {
  const appleScript = [
    'on run argv',
    'display notification (item 2 of argv) with title (item 1 of argv)',
    'end run',
  ]
  const balloon = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
    $icon = New-Object System.Windows.Forms.NotifyIcon
    $icon.Icon = [System.Drawing.SystemIcons]::Information; $icon.Visible = $true
    $icon.ShowBalloonTip(10000, $env:HEARTHD_TITLE, ($env:HEARTHD_BODY + ' '), 'Info'); Start-Sleep 5; $icon.Dispose()`
  const ways = {
    darwin: {
      program: 'osascript',
      show: (title: string, body: string) =>
        // Without `--`, a title such as `-e` would make the body part of the script.
        runHelper('osascript', [...appleScript.flatMap((line) => ['-e', line]), '--', title, body]),
    },
    linux: {
      program: 'notify-send',
      show: (title: string, body: string) =>
        runHelper('notify-send', ['--app-name=hearthd', '--', title, body]),
    },
    win32: {
      program: 'powershell',
      show: (title: string, body: string) =>
        runHelper('powershell', powershell(balloon), { env: { HEARTHD_TITLE: title, HEARTHD_BODY: body } }),
    },
  }
  const way = ways[system]
  if (!way || !(await findProgram(way.program))) return {}
  return {
    notify: async ({ title, body }) => {
      await way.show(String(title), String(body))
      return { shown: true }
    },
  }
}

async function openUrl(): Promise<Known> {
  const ways: Record<System, [string, ...string[]]> = {
    darwin: ['open'],
    linux: ['xdg-open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [program, ...before] = ways[system] ?? ['']
  if (!program || !(await findProgram(program))) return {}
  return {
    open_url: async ({ url }) => {
      // A parsed URL starts with its scheme, so it cannot be mistaken for an option.
      const { href } = new URL(String(url))
      await startHelper(program, [...before, href])
      return { opened: href }
    },
  }
}

const maxText = 500_000

async function clipboard(): Promise<Known> {
  const ways = {
    darwin: [{ program: 'pbpaste', read: [], writer: 'pbcopy', write: [] }],
    linux: [
      ...(process.env.WAYLAND_DISPLAY
        ? [{ program: 'wl-paste', read: ['--no-newline'], writer: 'wl-copy', write: [] }]
        : []),
      {
        program: 'xclip',
        read: ['-selection', 'clipboard', '-o'],
        writer: 'xclip',
        write: ['-selection', 'clipboard'],
      },
      {
        program: 'xsel',
        read: ['--clipboard', '--output'],
        writer: 'xsel',
        write: ['--clipboard', '--input'],
      },
    ],
    win32: [
      {
        program: 'powershell',
        read: powershell('[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw'),
        writer: 'powershell',
        write: powershell(
          '[Console]::InputEncoding = [Text.Encoding]::UTF8; [Console]::In.ReadToEnd() | Set-Clipboard',
        ),
      },
    ],
  }
  const way = await firstProgram(ways[system] ?? [])
  if (!way) return {}
  return {
    'clipboard.read': async (_, signal) => ({
      text: (await runHelper(way.program, way.read, { signal })).toString('utf8').slice(0, maxText),
    }),
    'clipboard.write': async ({ text }, signal) => {
      await startHelper(way.writer, way.write, { input: String(text), signal })
      return { written: true }
    },
  }
}

/** Maximum bytes of an image; a socket frame is limited to 1 MiB. */
const maxPicture = 700 * 1024

async function screenshot(): Promise<Known> {
  const capture = `Add-Type -AssemblyName System.Windows.Forms, System.Drawing
    $area = [System.Windows.Forms.SystemInformation]::VirtualScreen
    $picture = New-Object System.Drawing.Bitmap $area.Width, $area.Height
    [System.Drawing.Graphics]::FromImage($picture).CopyFromScreen($area.Location, [System.Drawing.Point]::Empty, $area.Size)
    $scale = [Math]::Min(1, 1600 / $area.Width)
    $small = New-Object System.Drawing.Bitmap $picture, ([int]($area.Width * $scale)), ([int]($area.Height * $scale))
    $small.Save($env:HEARTHD_FILE, [System.Drawing.Imaging.ImageFormat]::Jpeg)`
  const ways = {
    darwin: [{ program: 'screencapture', args: (path: string) => ['-x', '-t', 'jpg', path] }],
    linux: [
      ...(process.env.WAYLAND_DISPLAY
        ? [{ program: 'grim', args: (path: string) => ['-t', 'jpeg', '-q', '60', '-s', '0.6', path] }]
        : []),
      { program: 'scrot', args: (path: string) => ['--quality', '60', '--overwrite', path] },
      {
        program: 'import',
        args: (path: string) => ['-window', 'root', '-resize', '1600x>', '-quality', '60', path],
      },
      { program: 'gnome-screenshot', args: (path: string) => ['--file', path] },
    ],
    win32: [{ program: 'powershell', args: () => powershell(capture) }],
  }
  const way = await firstProgram(ways[system] ?? [])
  if (!way) return {}
  return {
    screenshot: async (_, signal) => {
      const path = join(os.tmpdir(), `hearthd-${process.pid}-${Date.now()}.jpg`)
      try {
        await runHelper(way.program, way.args(path), { env: { HEARTHD_FILE: path }, signal })
        if (system === 'darwin') await runHelper('sips', ['-Z', '1600', path])
        const bytes = await readFile(path)
        if (bytes.length > maxPicture)
          throw new ActionFailed(`The image has ${bytes.length} bytes; the limit is ${maxPicture}`)
        return { mime_type: 'image/jpeg', base64: bytes.toString('base64') }
      } finally {
        await rm(path, { force: true })
      }
    },
  }
}

/** File access within one folder, protected like the daemon's folders against `..`, links and swapped paths. */
async function files(folder: string, private_folder: string): Promise<Known> {
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
      const prefix = String(path).replace(/^\/|\/$/g, '')
      const all = await disk.list(root, prefix || undefined)
      return { files: all.slice(0, 1_000), truncated: all.length > 1_000 }
    }),
    'files.pull': safely(async ({ path, offset }) => pull(disk, root, String(path), Number(offset))),
    'files.push': safely(async ({ path, text, base64, append }) => {
      const bytes = base64 === undefined ? Buffer.from(String(text)) : Buffer.from(String(base64), 'base64')
      return push(disk, root, { path: String(path), bytes, append: append === true })
    }),
  }
}

async function pull(disk: Files, root: string, path: string, offset: number) {
  const found = await disk.stat(root, path)
  if (found?.kind !== 'file') throw new ActionFailed(`There is no file ${path}`)
  const stream = await disk.readStream(root, path, { start: offset, end: offset + maxFilePart })
  if (!stream) throw new ActionFailed(`There is no file ${path}`)
  const part = Buffer.from(await new Response(stream).arrayBuffer())
  const next = offset + part.length
  const next_offset = next < found.size_bytes && part.length > 0 ? next : null
  return { path, size_bytes: found.size_bytes, offset, next_offset, base64: part.toString('base64') }
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
    const program = await findProgram(String(command))
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
    battery_pct: await Promise.race([
      battery().catch(() => null),
      sleep(batteryTimeout, null, { ref: false }),
    ]),
    cpu_pct: cpuPercent(),
    memory_pct: Math.round(100 * (1 - os.freemem() / os.totalmem())),
    disk_free_bytes: disk ? disk.bavail * disk.bsize : null,
  }
}

async function battery(): Promise<number | null> {
  if (system === 'darwin') return percentIn((await runHelper('pmset', ['-g', 'batt'])).toString())
  if (system === 'win32')
    return percentIn(
      `${await runHelper('powershell', powershell('(Get-CimInstance Win32_Battery).EstimatedChargeRemaining'))}%`,
    )
  const folder = '/sys/class/power_supply'
  const name = (await readdir(folder)).find((one) => one.startsWith('BAT'))
  return name ? percentIn(`${(await readFile(join(folder, name, 'capacity'), 'utf8')).trim()}%`) : null
}

function percentIn(text: string): number | null {
  const found = /(\d{1,3})\s?%/.exec(text)?.[1]
  return found === undefined ? null : Math.min(100, Number(found))
}
