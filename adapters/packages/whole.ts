import { join } from 'node:path'
import { PackageError, type PackageSpec } from '../../runtime/ports/packages.ts'
import { packsFolder, versionAt } from './folder.ts'
import { load } from './load.ts'
import { closure, fits, ownPlatform, readLock } from './lock.ts'

/**
 * Whether everything that is wanted is there, with all that it needs, in its version, and can be loaded: then there is
 * nothing to do. Asks nobody but the disk.
 */
export async function isWhole(
  data_dir: string,
  wanted: readonly PackageSpec[],
  signal: AbortSignal,
): Promise<boolean> {
  const packs = packsFolder(data_dir)
  const lock = await readLock(packs)
  if (!wanted.every(({ name, version }) => lock.get(`node_modules/${name}`)?.version === version))
    return false
  const names = wanted.map(({ name }) => name)
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
