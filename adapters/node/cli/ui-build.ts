import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/** Written last. A build without it was interrupted, or was made by another program. */
const completeFile = 'complete'

/** Folders of builds that have not ended, next to the build that is served. */
const unfinished = '.dist-'

export type UiState = 'current' | 'stale' | 'incomplete' | 'missing' | 'no sources'

/** The state of the UI in a checkout: `stale` if a source or a package is newer than the build. */
export function uiState(top = root): UiState {
  const changedAt = (file: string) => statSync(join(top, file), { throwIfNoEntry: false })?.mtimeMs ?? -1
  const built = changedAt('web/dist/index.html')
  if (!existsSync(join(top, 'web', 'index.html'))) return built < 0 ? 'missing' : 'no sources'
  if (built < 0) return 'missing'
  if (changedAt(`web/dist/${completeFile}`) < 0) return 'incomplete'
  const sources = globSync('web/**/*.{ts,tsx,css,html,svg}', {
    cwd: top,
    exclude: ['web/dist', `web/${unfinished}*`],
  })
  return ['package-lock.json', ...sources].some((file) => changedAt(file) > built) ? 'stale' : 'current'
}

/** In a checkout without a current, complete UI, builds it; a failure only costs the UI. */
export async function buildUiIfNeeded(): Promise<void> {
  if (!existsSync(viteOf(root)) || !['stale', 'incomplete', 'missing'].includes(uiState())) return
  process.stderr.write('hearthd: building the web UI\n')
  if (!(await buildUi(root))) process.stderr.write('hearthd: the web UI could not be built; the API works without it\n')
}

const viteOf = (top: string) => join(top, 'node_modules', 'vite', 'bin', 'vite.js')

/**
 * Builds into a folder of its own, which replaces `web/dist` when it is complete: a build that is interrupted
 * leaves the previous one as it was. Returns false if the build failed.
 */
export async function buildUi(top: string): Promise<boolean> {
  const web = join(top, 'web')
  for (const left of globSync(`${unfinished}*`, { cwd: web }).filter(isAbandoned(web)))
    rmSync(join(web, left), { recursive: true, force: true })
  const folder = mkdtempSync(join(web, unfinished))
  const args = [viteOf(top), 'build', 'web', '--logLevel', 'warn', '--outDir', folder, '--emptyOutDir']
  const env = { ...process.env, NODE_ENV: 'production' }
  const build = spawn(process.execPath, args, { cwd: top, env, stdio: ['ignore', 2, 2] })
  const [code] = (await once(build, 'exit')) as [number | null]
  if (code !== 0) {
    rmSync(folder, { recursive: true, force: true })
    return false
  }
  writeFileSync(join(folder, completeFile), '')
  const served = join(web, 'dist')
  const previous = mkdtempSync(join(web, unfinished))
  if (existsSync(served)) renameSync(served, join(previous, 'dist'))
  renameSync(folder, served)
  rmSync(previous, { recursive: true, force: true })
  return true
}

/** Milliseconds. A build takes seconds, but another process may have one in progress. */
const abandonedAfter = 10 * 60_000

const isAbandoned = (web: string) => (name: string) => Date.now() - statSync(join(web, name)).mtimeMs > abandonedAfter

if (import.meta.main) process.exitCode = (await buildUi(root)) ? 0 : 1
