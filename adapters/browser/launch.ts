import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import type { BrowserEngine } from '../../runtime/ports/browser.ts'

export interface LaunchOptions {
  engine: BrowserEngine
  headless: boolean
  /** Of the egress proxy. */
  proxy: string
  /** Folder of what the browser keeps on this disk; temporary files lie in it. */
  folder: string
}

/** Stands on the command line of each of our browsers, so that those of a daemon that was killed are found. */
const markOf = (folder: string) => `--hearthd-browser=${folder}`

const temporary = (folder: string) => join(folder, 'tmp')

/** Milliseconds. */
const launchLimit = 30_000

/** Starts a Chromium that has no way out but the proxy. */
export async function launch({ engine, headless, proxy, folder }: LaunchOptions): Promise<Browser> {
  mkdirSync(temporary(folder), { recursive: true, mode: 0o700 })
  return chromium.launch({
    executablePath: engine.executable,
    headless,
    timeout: launchLimit,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    // Without this entry Chromium would reach loopback addresses past the proxy.
    proxy: { server: proxy, bypass: '<-loopback>' },
    artifactsDir: temporary(folder),
    env: environment(engine, folder),
    args: [
      markOf(folder),
      '--disable-quic',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...(headless ? ['--headless=new'] : []),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
}

/** The packaged Chromium brings fonts for machines that have none. */
function environment({ kind, executable }: BrowserEngine, folder: string): Record<string, string> {
  const { PATH, HOME, DISPLAY, WAYLAND_DISPLAY, FONTCONFIG_PATH } = process.env
  const fonts =
    kind === 'pack' && !existsSync('/etc/fonts') ? join(executable, '..', 'fonts') : FONTCONFIG_PATH
  const given = { PATH, HOME, DISPLAY, WAYLAND_DISPLAY, FONTCONFIG_PATH: fonts, TMPDIR: temporary(folder) }
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
}

/** Ends the browsers that a killed daemon has left behind on this folder, and removes their temporary files. */
export function sweep(folder: string): number {
  const orphans = processesWith(markOf(folder))
  for (const pid of orphans) kill(pid)
  rmSync(temporary(folder), { recursive: true, force: true })
  return orphans.length
}

/** Where there is no /proc, Chromium ends by itself when its pipe to us has closed. */
function processesWith(argument: string): number[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids.filter((pid) => argumentsOf(pid).includes(argument)).map(Number)
  } catch {
    return []
  }
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}
