import { workingAgent } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { taintedAmong } from '../tools/store.ts'
import { loopRoot, openMount, workspaceOf } from '../tools/workspace.ts'
import type { StoredLoop } from './loop-store.ts'

/** Files of a loop that are read. */
const maxFiles = 500

/**
 * The texts of a loop's files by path, up to `max_chars` in total; only those changed after `since`, if given. `tainted`:
 * one of them contains external text.
 */
export async function textFiles(
  context: Context,
  loop: StoredLoop,
  { max_chars, since }: { max_chars: number; since: string | null },
): Promise<{ texts: Record<string, string>; tainted: boolean }> {
  const root =
    (await openMount(context, loopRoot(loop.id))) ??
    workspaceOf((await workingAgent(context, loop.agent_id)).id, loop.owner_id)
  const texts: Record<string, string> = {}
  const folders = ['']
  let room = max_chars
  let count = 0
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { path, kind, modified_at, size_bytes } of await context.files.list(root, folder)) {
      if (kind === 'folder') folders.push(path)
      if (kind !== 'file' || count >= maxFiles || size_bytes > room) continue
      if (since !== null && modified_at < since) continue
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
