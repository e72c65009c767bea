import type { Host } from '../host.ts'
import { sumOf } from '../numbers.ts'
import { hour } from '../time.ts'
import { countSame, storedBytes } from './store.ts'

/** The root of uploads in the files port. */
export const root = 'uploads'

/** Incoming files under random names, and contents that are being stored or removed, under their SHA-256. */
export const incoming = 'incoming'

/** Contents are spread over folders, because some file systems are slow with many names in one. */
export const blobPath = (sha256: string): string => `blobs/${sha256.slice(0, 2)}/${sha256}`

export const pendingPath = (sha256: string): string => `${incoming}/${sha256}`

/**
 * Finishes storing or removing a pending content: it is moved to its place if a file has it, or deleted. Rows
 * change before this, so a crash at any moment leaves something that this can finish.
 */
export async function settle(host: Pick<Host, 'sql' | 'files'>, sha256: string): Promise<void> {
  const pending = pendingPath(sha256)
  if ((await countSame(host, sha256)) > 0) await host.files.move(root, pending, blobPath(sha256))
  else await host.files.remove(root, pending)
}

/**
 * Finishes work interrupted by a crash, at startup. If other processes use the store, only what is older than
 * an hour.
 */
export async function sweepUploads(host: Pick<Host, 'sql' | 'files' | 'clock'>, alone: boolean): Promise<void> {
  for (const { path, modified_at } of await host.files.list(root, incoming)) {
    if (!alone && Date.parse(modified_at) > host.clock.now() - hour) continue
    const name = path.slice(incoming.length + 1)
    if (/^[0-9a-f]{64}$/.test(name)) await settle(host, name)
    else await host.files.remove(root, path)
  }
  if (alone) await host.files.remove(root, incoming)
}

/** The root of browser downloads: one folder per file. */
export const downloadsRoot = 'downloads'

/** Bytes of all uploads and downloads, which count against the quota. */
export async function usedBytes(host: Pick<Host, 'sql' | 'files'>): Promise<number> {
  return (await storedBytes(host)) + (await downloadedBytes(host))
}

/** Bytes of all browser downloads. */
export async function downloadedBytes({ files }: Pick<Host, 'files'>): Promise<number> {
  const folders = await files.list(downloadsRoot)
  const kept = await Promise.all(folders.map(({ path }) => files.list(downloadsRoot, path)))
  return sumOf(kept.flat(), ({ size_bytes }) => size_bytes)
}
