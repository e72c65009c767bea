import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')
const web = join(root, 'web')

/** The UI of the present sources, built once for all test files however many run at the same time. */
export async function builtUi(): Promise<string> {
  const prefix = `hearthd-test-ui-${userInfo().uid}-`
  const folder = join(tmpdir(), prefix + (await fingerprint()))
  if (existsSync(folder)) return folder
  await sweep(prefix)
  const fresh = await mkdtemp(`${folder}-`)
  await build(fresh)
  await rename(fresh, folder).catch(async (thrown: unknown) => {
    await rm(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw thrown
  })
  return folder
}

/** A process of its own, because the test's environment would make it a development build. */
async function build(folder: string): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const env = { ...process.env, NODE_ENV: 'production', VITEST: '' }
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', web, '--configLoader', 'native', '--outDir', folder, '--emptyOutDir'],
    {
      env,
    },
  )
}

/** Milliseconds after which no test run can still need an earlier build. */
const keptFor = 60 * 60 * 1000

async function sweep(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const path = join(tmpdir(), name)
    const found = await stat(path).catch(() => null)
    if (found && Date.now() - found.mtimeMs > keptFor) await rm(path, { recursive: true, force: true })
  }
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  // A daemon may be rebuilding `dist` now: its files vanish while a folder is read.
  const sources = await Array.fromAsync(glob('**/*', { cwd: web, exclude: ['dist', '.dist-*'] }))
  for (const path of sources.toSorted()) {
    const { size, mtimeMs } = await stat(join(web, path))
    hash.update(`${path}:${size}:${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
