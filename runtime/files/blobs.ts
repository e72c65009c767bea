import type { Host } from '../host.ts'
import { hour } from '../time.ts'
import { countSame } from './store.ts'

/** Root of the files port under which uploads lie. */
export const root = 'uploads'

/** Files on their way in, under a random name, and contents on their way in or out, under their SHA-256. */
export const incoming = 'incoming'

/** Contents are spread over folders, for some systems are slow with many names in one. */
export const blobPath = (sha256: string): string => `blobs/${sha256.slice(0, 2)}/${sha256}`

export const pendingPath = (sha256: string): string => `${incoming}/${sha256}`

/**
 * Ends what was begun with a content that lies aside: it goes to its place when a file has it, else away. Rows change in
 * between, so a crash at any moment leaves something that this can finish.
 */
export async function settle(host: Pick<Host, 'sql' | 'files'>, sha256: string): Promise<void> {
  const pending = pendingPath(sha256)
  if ((await countSame(host, sha256)) > 0) await host.files.move(root, pending, blobPath(sha256))
  else await host.files.remove(root, pending)
}

/** Called once at the start: finishes what a crash cut off. Where others work on the same store, only what is old. */
export async function sweepUploads(
  host: Pick<Host, 'sql' | 'files' | 'clock'>,
  alone: boolean,
): Promise<void> {
  for (const { path, modified_at } of await host.files.list(root, incoming)) {
    if (!alone && Date.parse(modified_at) > host.clock.now() - hour) continue
    const name = path.slice(incoming.length + 1)
    if (/^[0-9a-f]{64}$/.test(name)) await settle(host, name)
    else await host.files.remove(root, path)
  }
  if (alone) await host.files.remove(root, incoming)
}
