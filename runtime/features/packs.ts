import type { Context } from '../context.ts'
import { notFound, unsupported } from '../fault.ts'
import type { Host } from '../host.ts'
import type { PackageSpec } from '../ports/packages.ts'
import type { InstallPlan, Pack } from './schema.ts'

interface PackDefinition {
  id: string
  title: string
  description: string
  /** Fixed here: clients choose a pack, never a package. */
  packages: readonly PackageSpec[]
  /** Supported platforms; all if left out. */
  platforms?: readonly string[]
  /** The command for people on other platforms. */
  elsewhere?: string
}

export const memoryVisualization = 'memory-visualization'
export const browserChromium = 'browser-chromium'

export const packs: readonly PackDefinition[] = [
  {
    id: memoryVisualization,
    title: 'Map of memory',
    description: 'Draws the memory as a map and finds clusters.',
    packages: [
      { name: 'umap-js', version: '1.4.0' },
      { name: 'ml-kmeans', version: '7.0.1' },
    ],
  },
  {
    id: browserChromium,
    title: 'Chromium',
    description: 'A browser for agents on a machine without one.',
    packages: [{ name: '@sparticuz/chromium', version: '153.0.0' }],
    platforms: ['linux-x64'],
    elsewhere: 'npx playwright install chromium',
  },
]

export function requirePack(id: string): PackDefinition {
  const pack = packs.find((candidate) => candidate.id === id)
  if (!pack) throw notFound(`The pack ${id}`)
  return pack
}

/** Refuses a pack that this host cannot install. */
export function requireSupported(host: Pick<Host, 'packages'>, pack: PackDefinition): void {
  const reason = unsupportedReason(host, pack)
  if (reason) throw unsupported(reason)
}

function unsupportedReason({ packages }: Pick<Host, 'packages'>, { title, platforms }: PackDefinition): string | null {
  if (packages.unsupported) return packages.unsupported
  if (!platforms || platforms.includes(packages.platform)) return null
  return `${title} has no build for ${packages.platform}`
}

export async function packState(host: Pick<Host, 'packages'>, pack: PackDefinition): Promise<Pack> {
  const { id, title, description } = pack
  const packages = await Promise.all(
    pack.packages.map(async ({ name, version }) => ({
      name,
      version,
      current_version: await host.packages.installed(name),
    })),
  )
  return {
    id,
    title,
    description,
    packages,
    installed: packages.some(({ current_version }) => current_version !== null),
    complete: packages.every(({ current_version, version }) => current_version === version),
    unsupported_reason: unsupportedReason(host, pack),
  }
}

export const packStates = (host: Pick<Host, 'packages'>): Promise<Pack[]> =>
  Promise.all(packs.map((pack) => packState(host, pack)))

/** What installing a pack would do: a dry run of the package manager. */
export async function planPack(context: Context, pack_id: string): Promise<InstallPlan> {
  const pack = requirePack(pack_id)
  if (context.packages.unsupported) requireSupported(context, pack)
  const reason = unsupportedReason(context, pack)
  if (reason) return { pack_id, ...blocked(pack, reason) }
  return { pack_id, ...(await context.packages.plan(pack.packages, context.signal)) }
}

const blocked = ({ elsewhere }: PackDefinition, blocked_reason: string) => ({
  packages: [],
  downloads: [],
  total_bytes: null,
  skipped: [],
  command: elsewhere ?? '',
  blocked_reason,
  manual_command: elsewhere ?? null,
})
