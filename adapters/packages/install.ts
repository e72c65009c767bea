import {
  type InstallOptions,
  type InstallOutcome,
  PackageError,
  type PackageSpec,
} from '../../runtime/ports/packages.ts'
import { isComplete, load } from './check.ts'
import { dropFolder, makeStaging, swapIn, versionIn } from './folder.ts'
import { fits, ownPlatform, readLock } from './lock.ts'
import { runNpm } from './npm.ts'
import { lockTree } from './plan.ts'
import type { PackagesSettings } from './settings.ts'

/**
 * Builds a complete new folder, tests it, and replaces the present one, which is untouched until then. If everything is
 * installed and works, there is nothing to do.
 */
export async function installPackages(
  settings: PackagesSettings,
  specs: readonly PackageSpec[],
  options: InstallOptions,
): Promise<InstallOutcome> {
  if (await isInstalled(settings, specs, options)) return { changed: false }
  const npm = settings.npm()
  if (!npm) throw new PackageError('npm was not found on this machine')
  const staging = await makeStaging(settings.data_dir, specs)
  try {
    await build({ npm, staging, options })
    await verify({ staging, specs, options })
    options.signal.throwIfAborted()
    await swapIn(settings.data_dir, staging)
    return { changed: true }
  } finally {
    await dropFolder(staging)
  }
}

async function isInstalled(
  { data_dir }: PackagesSettings,
  specs: readonly PackageSpec[],
  { signal, onProgress, onLog }: InstallOptions,
): Promise<boolean> {
  const total = specs.length
  onProgress({ phase: 'installing', done: 0, total: 0 })
  if (!(await isComplete(data_dir, specs, signal))) return false
  for (const { name, version } of specs) onLog(`${name}@${version} is installed and can be loaded`)
  onProgress({ phase: 'verifying', done: total, total })
  return true
}

interface Building {
  npm: string
  staging: string
  options: InstallOptions
}

async function build({ npm, staging, options }: Building): Promise<void> {
  const { signal, onProgress, onLog } = options
  await lockTree({ npm, staging, signal, onLine: onLog })
  const own = ownPlatform()
  const places = [...(await readLock(staging)).values()].filter((entry) => !entry.optional || fits(entry, own))
  const total = places.length
  const fetched = new Set<string>()
  onProgress({ phase: 'downloading', done: 0, total })
  const onLine = (line: string) => {
    // npm reports everything as cached, whether it is or not.
    if (line.startsWith('npm http cache ')) return
    onLog(line)
    const archive = /http fetch GET 200 (\S+\.tgz)/.exec(line)?.[1]
    if (!archive || fetched.has(archive)) return
    fetched.add(archive)
    onProgress({ phase: 'downloading', done: Math.min(fetched.size, total), total })
  }
  await runNpm({ npm, args: ['ci', '--loglevel=http'], prefix: staging, signal, onLine })
  onProgress({ phase: 'downloading', done: total, total })
}

interface Verifying {
  staging: string
  specs: readonly PackageSpec[]
  options: InstallOptions
}

/** Checks that each package has its version and can be loaded. */
async function verify({ staging, specs, options }: Verifying): Promise<void> {
  const total = specs.length
  for (const [done, { name, version }] of specs.entries()) {
    options.onProgress({ phase: 'verifying', done, total })
    const installed = await versionIn(staging, name)
    if (installed !== version)
      throw new PackageError(`${name} was installed as ${installed ?? 'nothing'} instead of ${version}`)
    await load(staging, name, options.signal)
    options.onLog(`${name}@${version} can be loaded`)
  }
  options.onProgress({ phase: 'verifying', done: total, total })
}
