import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import type { BrowserEngine } from '../../runtime/ports/browser.ts'
import { downloading, markOf, temporary } from './sweep.ts'

export interface LaunchOptions {
  engine: BrowserEngine
  headless: boolean
  /** Of the egress proxy. */
  proxy: string
  /** Folder of what the browser keeps on this disk; temporary files lie in it. */
  folder: string
}

/** Milliseconds. */
const launchLimit = 30_000

/** Starts a Chromium that has no way out but the proxy. */
export async function launch({ engine, headless, proxy, folder }: LaunchOptions): Promise<Browser> {
  mkdirSync(downloading(folder), { recursive: true, mode: 0o700 })
  return withTemporary(temporary(folder), () =>
    chromium.launch({
      executablePath: engine.executable,
      headless,
      timeout: launchLimit,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      // Without this entry Chromium would reach loopback addresses past the proxy.
      proxy: { server: proxy, bypass: '<-loopback>' },
      artifactsDir: temporary(folder),
      downloadsPath: downloading(folder),
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
    }),
  )
}

/** The driver makes a folder for the profile where its process has its temporary files, and asks for that place once. */
async function withTemporary<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  const before = process.env.TMPDIR
  process.env.TMPDIR = place
  try {
    return await work()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
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
