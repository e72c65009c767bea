import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from './folder.ts'

/** An entry of npm's lock file, version 3. */
export interface LockedPackage {
  version?: string
  /** The address of its archive. */
  resolved?: string
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** By path, for example `node_modules/a/node_modules/b`. */
export type Lock = Map<string, LockedPackage>

export async function readLock(folder: string): Promise<Lock> {
  const file = (await readJson(join(folder, 'package-lock.json'))) as {
    packages?: Record<string, LockedPackage>
  } | null
  return new Map(Object.entries(file?.packages ?? {}).filter(([place]) => place !== ''))
}

export const nameAt = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 13)

/** The paths of `roots` and all their dependencies, resolved like Node does. */
export function closure(lock: Lock, roots: readonly string[]): string[] {
  const places = new Set<string>()
  const visit = (name: string, from: string) => {
    const place = placeOf(lock, name, from)
    if (!place || places.has(place)) return
    places.add(place)
    const { dependencies, optionalDependencies } = lock.get(place) ?? {}
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next, place)
  }
  for (const root of roots) visit(root, '')
  return [...places]
}

function placeOf(lock: Lock, name: string, from: string): string | null {
  const place = `${from && `${from}/`}node_modules/${name}`
  if (lock.has(place)) return place
  if (from === '') return null
  return placeOf(lock, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
}

/** Whether a package supports a platform; npm leaves out optional packages that do not. */
export function fits({ os, cpu, libc }: LockedPackage, { platform, arch, musl }: Platform): boolean {
  return allows(os, platform) && allows(cpu, arch) && allows(libc, musl ? 'musl' : 'glibc')
}

interface Platform {
  platform: string
  arch: string
  musl: boolean
}

/** A list of allowed values, or of excluded ones with `!`. */
function allows(list: string[] | undefined, value: string): boolean {
  if (!list || list.length === 0) return true
  if (list.includes(`!${value}`)) return false
  return list.includes(value) || list.every((entry) => entry.startsWith('!'))
}

/** The platform of this process. */
export function ownPlatform(): Platform {
  const { platform, arch } = process
  const musl = platform === 'linux' && existsSync('/lib') && readdirSync('/lib').some(isMuslLoader)
  return { platform, arch, musl }
}

const isMuslLoader = (name: string) => name.startsWith('ld-musl-')
