import { join } from 'node:path'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import {
  type PackageAction,
  PackageError,
  type PackagePlan,
  type PackageSpec,
  type PlannedPackage,
} from '../../runtime/ports/packages.ts'
import { isComplete } from './check.ts'
import { dropFolder, makeStaging, packsFolder, versionAt } from './folder.ts'
import { closure, fits, type Lock, nameAt, ownPlatform, readLock } from './lock.ts'
import { runNpm, safeFlags } from './npm.ts'
import type { PackagesSettings } from './settings.ts'

/** Lets npm resolve the whole tree in a temporary folder, without installing it. */
export async function planPackages(
  settings: PackagesSettings,
  specs: readonly PackageSpec[],
  signal: AbortSignal,
): Promise<PackagePlan> {
  const command = commandFor(settings.data_dir, specs)
  if (await isComplete(settings.data_dir, specs, signal)) return { ...nothing, ...possible(command) }
  const npm = settings.npm()
  if (!npm) return blocked(command, 'npm was not found on this machine')
  const staging = await makeStaging(settings.data_dir, specs)
  try {
    await lockTree({ npm, staging, signal })
    return { ...(await compare(settings, { staging, specs, signal })), ...possible(command) }
  } catch (thrown) {
    if (signal.aborted || !(thrown instanceof PackageError)) throw thrown
    return blocked(command, `npm cannot do it: ${thrown.message}`)
  } finally {
    await dropFolder(staging)
  }
}

interface Locking {
  npm: string
  staging: string
  signal: AbortSignal
  onLine?(line: string): void
}

/** Writes the lock file of `staging`; only package descriptions are downloaded. */
export const lockTree = ({ npm, staging, signal, onLine }: Locking): Promise<void> =>
  runNpm({
    npm,
    args: ['install', '--package-lock-only', '--omit-lockfile-registry-resolved=false', '--loglevel=error'],
    prefix: staging,
    signal,
    ...(onLine && { onLine }),
  })

/** Everything is installed and works. */
const nothing = { packages: [], total_bytes: 0, skipped: [] }

const possible = (command: string) => ({ command, blocked_reason: null, manual_command: null, downloads: [] })

const blocked = (command: string, blocked_reason: string): PackagePlan => ({
  packages: [],
  downloads: [],
  total_bytes: null,
  skipped: [],
  command,
  blocked_reason,
  manual_command: command,
})

/** The same as a command for people. */
export function commandFor(data_dir: string, packages: readonly PackageSpec[]): string {
  const folder = packsFolder(data_dir)
  const quoted = /^[\w./:\\-]+$/.test(folder) ? folder : `"${folder}"`
  const specs = packages.map(({ name, version }) => `${name}@${version}`)
  return ['npm install', ...safeFlags, '--save-exact', '--prefix', quoted, ...specs].join(' ')
}

interface Comparing {
  staging: string
  specs: readonly PackageSpec[]
  signal: AbortSignal
}

async function compare(
  { data_dir, outbound }: PackagesSettings,
  { staging, specs, signal }: Comparing,
): Promise<Pick<PackagePlan, 'packages' | 'total_bytes' | 'skipped'>> {
  const lock = await readLock(staging)
  const { fitting, skipped } = byPlatform(lock, specs)
  const sizes = await Promise.all(fitting.map((place) => sizeOf(outbound, lock.get(place)?.resolved, signal)))
  const present = await Promise.all(fitting.map((place) => versionAt(join(packsFolder(data_dir), place))))
  const packages = fitting.map((place, index): PlannedPackage => {
    const version = lock.get(place)?.version ?? ''
    const current_version = present[index] ?? null
    const action = actionFor(version, current_version)
    return { name: nameAt(place), version, action, current_version, size_bytes: sizes[index] ?? null }
  })
  packages.sort((left, right) => left.name.localeCompare(right.name))
  return { packages, total_bytes: sum(sizes), skipped }
}

function byPlatform(lock: Lock, specs: readonly PackageSpec[]) {
  const own = ownPlatform()
  const fitting: string[] = []
  const skipped: PackagePlan['skipped'] = []
  for (const place of closure(
    lock,
    specs.map(({ name }) => name),
  )) {
    const entry = lock.get(place) ?? {}
    if (!entry.optional || fits(entry, own)) fitting.push(place)
    else skipped.push({ name: nameAt(place), version: entry.version ?? '', reason: noBuild(own) })
  }
  return { fitting, skipped }
}

const noBuild = ({ platform, arch }: { platform: string; arch: string }) => `It has no build for ${platform}-${arch}`

/** Null if one is unknown: an incomplete total would mislead. */
const sum = (sizes: readonly (number | null)[]): number | null =>
  sizes.reduce((total, size) => (total === null || size === null ? null : total + size), 0 as number | null)

export function actionFor(version: string, current: string | null): PackageAction {
  if (current === null) return 'new'
  const order = compareVersions(version, current)
  return order === 0 ? 'reinstall' : order > 0 ? 'upgrade' : 'downgrade'
}

/** By precedence of Semantic Versioning 2.0.0, section 11, as far as registries use it. */
function compareVersions(left: string, right: string): number {
  const [leftCore = '', leftPre] = left.split(/[-+]/, 2)
  const [rightCore = '', rightPre] = right.split(/[-+]/, 2)
  const core = leftCore.localeCompare(rightCore, 'en', { numeric: true })
  if (core !== 0 || leftPre === rightPre) return core
  if (leftPre === undefined) return 1
  if (rightPre === undefined) return -1
  return leftPre.localeCompare(rightPre, 'en', { numeric: true })
}

/** Milliseconds for the size of one archive. */
const sizeTimeout = 10_000

/** Bytes of an archive by its `content-length`; null if unknown. */
async function sizeOf(outbound: Outbound, url: string | undefined, signal: AbortSignal): Promise<number | null> {
  if (!url || !/^https?:/.test(url)) return null
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(sizeTimeout)])
    // npm downloads from there too, with the registry of this machine's configuration.
    const trusted_origins = [new URL(url).origin]
    const response = await outbound.fetch(url, { method: 'HEAD', signal: limit }, { trusted_origins })
    const length = response.ok ? Number(response.headers.get('content-length')) : 0
    return Number.isSafeInteger(length) && length > 0 ? length : null
  } catch {
    return null
  }
}
