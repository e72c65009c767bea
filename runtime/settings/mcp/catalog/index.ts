import type { CatalogEntry } from './entry.ts'
import { localServers } from './local.ts'
import { remoteServers } from './remote.ts'

/** Well-known servers to start from. */
export const catalog: readonly CatalogEntry[] = [...localServers, ...remoteServers]
