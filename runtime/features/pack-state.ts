import { notFound, unsupported } from '../fault.ts'
import type { Host } from '../host.ts'
import type { PackDefinition } from './packs.ts'
import { packs } from './packs.ts'
import type { Pack } from './schema.ts'

/** The pack, or a 404. */
export function requirePack(id: string): PackDefinition {
  const pack = packs.find((candidate) => candidate.id === id)
  if (!pack) throw notFound(`The pack ${id}`)
  return pack
}

/** Refuses what this host cannot install. */
export function requireSupported(host: Pick<Host, 'packages'>, pack: PackDefinition): void {
  const reason = unsupportedReason(host, pack)
  if (reason) throw unsupported(reason)
}

export function unsupportedReason(
  { packages }: Pick<Host, 'packages'>,
  { title, platforms }: PackDefinition,
): string | null {
  if (packages.unsupported) return packages.unsupported
  if (!platforms || platforms.includes(packages.platform)) return null
  return `${title} has no build for ${packages.platform}`
}

/** What is there of a pack now. */
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
