import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PackageError, type Packages } from '../../runtime/ports/packages.ts'
import { findProgram } from '../process/programs.ts'
import { packsFolder, versionIn } from './folder.ts'
import { installPackages } from './install.ts'
import { findNpm, installationOf } from './installation.ts'
import { planPackages } from './plan.ts'
import type { PackagesSettings } from './settings.ts'

const top = join(import.meta.dirname, '..', '..')

/** Packages in `<data>/packs`, installed by the npm of this machine. */
export function createPackages({
  data_dir,
  outbound,
  npm = () => findNpm({ env: process.env, node: process.execPath }),
}: Omit<PackagesSettings, 'npm'> & Partial<PackagesSettings>): Packages {
  const settings = { data_dir, outbound, npm }
  const packs = packsFolder(data_dir)
  const resolve = async (name: string) => {
    if ((await versionIn(packs, name)) === null) return null
    try {
      return pathToFileURL(createRequire(join(packs, 'package.json')).resolve(name)).href
    } catch {
      return null
    }
  }
  return {
    unsupported: null,
    platform: `${process.platform}-${process.arch}`,
    installation: installationOf(top, process.execPath),
    plan: (specs, signal) => planPackages(settings, specs, signal),
    install: (specs, options) => installPackages(settings, specs, options),
    installed: (name) => versionIn(packs, name),
    resolve,
    async import(name) {
      const address = await resolve(name)
      if (!address) throw new PackageError(`${name} is not installed`)
      return import(address)
    },
    locate: async (programs) => findProgram(programs),
  }
}
