import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { createPackages } from '../../adapters/packages/packages.ts'
import { packs } from '../../runtime/features/packs.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import type { Packages } from '../../runtime/ports/packages.ts'

/** The way to the registry without the guard. */
export const openOutbound: Outbound = { ...noOutbound, fetch: (url, init) => fetch(url, init) }

/** Packages in a folder that goes when the tests of this file have ended. */
export function testPackages(npm?: () => string | null): Packages & { data_dir: string } {
  const data_dir = mkdtempSync(join(tmpdir(), 'hearthd-packs-'))
  afterAll(() => rmSync(data_dir, { recursive: true, force: true }))
  return { ...createPackages({ data_dir, outbound: openOutbound, ...(npm && { npm }) }), data_dir }
}

/** Installs a pack from the registry. */
export async function installPack(packages: Packages, id: string): Promise<void> {
  const wanted = packs.find((pack) => pack.id === id)?.packages ?? []
  const nothing = () => undefined
  await packages.install(wanted, {
    signal: new AbortController().signal,
    onProgress: nothing,
    onLog: nothing,
  })
}
