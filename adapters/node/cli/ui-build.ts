import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..')

/** In a checkout whose UI has not been built, builds it; a failure only costs the UI. */
export async function buildUiWhenMissing(): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  if (existsSync(join(root, 'web', 'dist', 'index.html'))) return
  if (!existsSync(join(root, 'web', 'index.html')) || !existsSync(vite)) return
  process.stderr.write('hearthd: building the web UI, this once\n')
  const build = spawn(process.execPath, [vite, 'build', 'web', '--logLevel', 'warn'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  const [code] = (await once(build, 'exit')) as [number | null]
  if (code !== 0) process.stderr.write('hearthd: the web UI could not be built; the API works without it\n')
}
