import type { Context } from '../context.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { taintedAmong } from './store.ts'

/** Files of a folder that are read. */
const maxFiles = 500

interface Selection {
  /** Characters in total. */
  max_chars: number
  /** Bytes of one file: a longer one is cut, with a note. Default: a file for which there is no room is left out. */
  max_each?: number
  /** Only files changed after this time (ISO). */
  since?: string | null
  /** Only these files. */
  paths?: readonly string[]
}

/** The texts of the files below a root by path, up to `max_chars` in total. `tainted`: one of them contains external text. */
export async function textFiles(
  context: Context,
  root: string,
  { max_chars, max_each, since = null, paths }: Selection,
): Promise<{ texts: Record<string, string>; tainted: boolean }> {
  const texts: Record<string, string> = {}
  const folders = ['']
  let room = max_chars
  let count = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { path, kind, modified_at, size_bytes } of await context.files.list(root, folder)) {
      if (kind === 'folder') folders.push(path)
      const taken = max_each === undefined ? size_bytes : Math.min(size_bytes, max_each, room)
      if (kind !== 'file' || count >= maxFiles || taken > room || (taken === 0 && size_bytes > 0)) continue
      if ((since !== null && modified_at < since) || paths?.includes(path) === false) continue
      const isCut = taken < size_bytes
      const text = textIn(await context.files.read(root, path, { max_bytes: taken }), isCut)
      if (text === null || text.length > room) continue
      texts[path] = isCut ? `${text}\n[cut here: the file has ${size_bytes} bytes]` : text
      room -= text.length
      count += 1
    }
  }
  const tainted = await taintedAmong(context, root, Object.keys(texts))
  return { texts, tainted: tainted.length > 0 }
}

/** The texts as a model reads them: each below its path, with line breaks as they are. */
export const describeTexts = (texts: Readonly<Record<string, string>>): string =>
  wrapUntrusted(
    Object.entries(texts)
      .map(([path, text]) => `--- ${path}\n${text}`)
      .join('\n'),
  )

/** Null for what is not UTF-8 text. If it is cut, a truncated character at the end is dropped. */
function textIn(bytes: Uint8Array | null, isCut: boolean): string | null {
  if (!bytes) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}
