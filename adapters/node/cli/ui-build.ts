import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/** In a checkout whose UI has not been built since it changed, builds it; a failure only costs the UI. */
export async function buildUiWhenStale(): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  if (!existsSync(vite) || !isStale(root)) return
  process.stderr.write('hearthd: building the web UI, this once\n')
  const build = spawn(process.execPath, [vite, 'build', 'web', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  const [code] = (await once(build, 'exit')) as [number | null]
  if (code !== 0) process.stderr.write('hearthd: the web UI could not be built; the API works without it\n')
}

/** Whether there are sources of the UI, and no build that is younger than all of them. */
export function isStale(top: string): boolean {
  if (!existsSync(join(top, 'web', 'index.html'))) return false
  const built = changedAt(join(top, 'web', 'dist', 'index.html'))
  const sources = globSync('web/**/*.{ts,tsx,css,html,svg}', { cwd: top, exclude: ['web/dist'] })
  return ['package-lock.json', ...sources].some((file) => changedAt(join(top, file)) > built)
}

/** Milliseconds since the epoch; before all others where there is no such file. */
const changedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -1
