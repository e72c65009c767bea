import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PackageError, type PackageSpec } from '../../runtime/ports/packages.ts'
import { packsFolder, versionAt } from './folder.ts'
import { closure, fits, ownPlatform, readLock } from './lock.ts'

const run = promisify(execFile)
/** Milliseconds. */
const loadTimeout = 60_000

/** Imports a package in a separate process. Throws `PackageError` if that fails. */
export async function load(folder: string, name: string, signal: AbortSignal): Promise<void> {
  const script = `await import(${JSON.stringify(name)})`
  const { PATH, HOME } = process.env
  const options = { cwd: folder, env: { PATH, HOME }, timeout: loadTimeout, signal, windowsHide: true }
  try {
    await run(process.execPath, ['--input-type=module', '--eval', script], options)
  } catch {
    signal.throwIfAborted()
    throw new PackageError(`${name} was installed, but cannot be loaded`)
  }
}

/**
 * Whether all wanted packages and their dependencies are installed in their versions and can be loaded: then there is
 * nothing to do. Only reads the disk.
 */
export async function isComplete(
  data_dir: string,
  specs: readonly PackageSpec[],
  signal: AbortSignal,
): Promise<boolean> {
  const packs = packsFolder(data_dir)
  const lock = await readLock(packs)
  if (!specs.every(({ name, version }) => lock.get(`node_modules/${name}`)?.version === version)) return false
  const names = specs.map(({ name }) => name)
  const own = ownPlatform()
  for (const place of closure(lock, names)) {
    const entry = lock.get(place) ?? {}
    if (entry.optional && !fits(entry, own)) continue
    if ((await versionAt(join(packs, place))) !== entry.version) return false
  }
  return canBeLoaded(packs, names, signal)
}

async function canBeLoaded(packs: string, names: readonly string[], signal: AbortSignal): Promise<boolean> {
  try {
    for (const name of names) await load(packs, name, signal)
    return true
  } catch (thrown) {
    if (thrown instanceof PackageError) return false
    throw thrown
  }
}
