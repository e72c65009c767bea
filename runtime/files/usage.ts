import type { Host } from '../host.ts'
import { storedBytes } from './store.ts'

/** Root of what pages handed out as files: a folder for each, with the one file in it. */
export const downloadsRoot = 'downloads'

/** Bytes that all files take, uploads and downloads together: what the quota is held against. */
export async function usedBytes(host: Pick<Host, 'sql' | 'files'>): Promise<number> {
  return (await storedBytes(host)) + (await downloadedBytes(host))
}

/** Bytes of what pages handed out as files. */
export async function downloadedBytes({ files }: Pick<Host, 'files'>): Promise<number> {
  const folders = await files.list(downloadsRoot)
  const kept = await Promise.all(folders.map(({ path }) => files.list(downloadsRoot, path)))
  return kept.flat().reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}
