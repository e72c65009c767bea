import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorker } from '../../worker/bundle.ts'
import { buildUi, uiState } from './ui-build.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** What `wrangler.jsonc` deploys. */
const deployed = join(root, 'adapters', 'worker', 'dist')

/** The platform compresses by itself. */
const isServed = (path: string) => !/\.(br|gz)$|\/complete$/.test(path)

/** Writes the modules of the Worker to `code`, and the files of a built UI to `ui`. */
export async function buildWorker(target: string, ui: string): Promise<void> {
  const { modules } = await bundleWorker({ entry: join(root, 'adapters', 'worker', 'worker.ts') })
  rmSync(target, { recursive: true, force: true })
  mkdirSync(join(target, 'code'), { recursive: true })
  for (const { path, contents } of modules) writeFileSync(join(target, 'code', path), contents)
  cpSync(ui, join(target, 'ui'), { recursive: true, filter: isServed })
}

if (import.meta.main) {
  if (uiState() === 'current' || (await buildUi(root))) await buildWorker(deployed, join(root, 'web', 'dist'))
  else process.exitCode = 1
}
