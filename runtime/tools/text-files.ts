import type { Context } from '../context.ts'
import { taintedAmong } from './store.ts'

/** Files of a folder that are read. */
const maxFiles = 500

interface Selection {
  /** Characters in total. */
  max_chars: number
  /** Only files changed after this time (ISO). */
  since?: string | null
  /** Only these files. */
  paths?: readonly string[]
}

/** The texts of the files below a root by path, up to `max_chars` in total. `tainted`: one of them contains external text. */
export async function textFiles(
  context: Context,
  root: string,
  { max_chars, since = null, paths }: Selection,
): Promise<{ texts: Record<string, string>; tainted: boolean }> {
  const texts: Record<string, string> = {}
  const folders = ['']
  let room = max_chars
  let count = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { path, kind, modified_at, size_bytes } of await context.files.list(root, folder)) {
      if (kind === 'folder') folders.push(path)
      if (kind !== 'file' || count >= maxFiles || size_bytes > room) continue
      if ((since !== null && modified_at < since) || paths?.includes(path) === false) continue
      const text = textIn(await context.files.read(root, path, { max_bytes: size_bytes }))
      if (text === null || text.length > room) continue
      texts[path] = text
      room -= text.length
      count += 1
    }
  }
  const tainted = await taintedAmong(context, root, Object.keys(texts))
  return { texts, tainted: tainted.length > 0 }
}

/** Null for what is not UTF-8 text. */
function textIn(bytes: Uint8Array | null): string | null {
  if (!bytes) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}
