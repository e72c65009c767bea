import { existsSync, readdirSync, renameSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageSpec } from '../../runtime/ports/packages.ts'

/** The folder of the packages in the data folder. */
export const packsFolder = (data_dir: string) => join(data_dir, 'packs')
/** Next to it: installations and plans in progress, and replaced folders. */
const stagingFolder = (data_dir: string, name: string) => join(data_dir, `packs.new-${name}`)
const replacedFolder = (data_dir: string, name: string) => join(data_dir, `packs.old-${name}`)
const leftover = /^packs\.(new|old)-/

/** Creates a folder to build in, with a `package.json` that lists all wanted packages. */
export async function makeStaging(data_dir: string, specs: readonly PackageSpec[]): Promise<string> {
  const folder = stagingFolder(data_dir, crypto.randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = Object.fromEntries(specs.map(({ name, version }) => [name, version]))
  const dependencies = { ...(await installedBefore(data_dir)), ...own }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }, null, 2))
  return folder
}

export const dropFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })

/** Replaces the current folder with a finished one. A crash can only happen between the two renames. */
export async function swapIn(data_dir: string, staging: string): Promise<void> {
  const packs = packsFolder(data_dir)
  const replaced = replacedFolder(data_dir, crypto.randomUUID())
  const had = existsSync(packs)
  if (had) renameSync(packs, replaced)
  try {
    renameSync(staging, packs)
  } catch (thrown) {
    if (had) await rename(replaced, packs)
    throw thrown
  }
  await dropFolder(replaced)
}

/** Restores the old packages after a crash, and removes leftovers. Only for the owner of the data folder. */
export async function sweepPacks(data_dir: string): Promise<void> {
  const names = existsSync(data_dir) ? readdirSync(data_dir).filter((name) => leftover.test(name)) : []
  const replaced = names.find((name) => name.startsWith('packs.old-'))
  if (replaced && !existsSync(packsFolder(data_dir))) renameSync(join(data_dir, replaced), packsFolder(data_dir))
  for (const name of names) await dropFolder(join(data_dir, name))
}

async function installedBefore(data_dir: string): Promise<Record<string, string>> {
  const file = await readJson(join(packsFolder(data_dir), 'package.json'))
  return (file as { dependencies?: Record<string, string> } | null)?.dependencies ?? {}
}

/** The version of an installed package; null if it is missing or unreadable. */
export const versionIn = (folder: string, name: string): Promise<string | null> =>
  versionAt(join(folder, 'node_modules', name))

/** The same by the path of the package. */
export async function versionAt(place: string): Promise<string | null> {
  const file = await readJson(join(place, 'package.json'))
  return (file as { version?: string } | null)?.version ?? null
}

export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}
