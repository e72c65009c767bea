import { toBase64 } from '../secrets/base64.ts'
import { day, iso } from '../time.ts'
import { findVersion, saveVersion } from './store.ts'
import type { ToolScope } from './tool.ts'

type Seen = Pick<ToolScope, 'context' | 'conversation_id'>

/** Names the content of a file; null for a missing one. */
export const versionOf = (
  { secrets }: Pick<ToolScope['context'], 'secrets'>,
  bytes: Uint8Array | null,
): string | null => bytes && secrets.sha256(toBase64(bytes)).slice(0, 16)

/** After this time a conversation must read a file again before it replaces it. */
export const rememberedFor = 30 * day

/** Remembers that a conversation has seen, or written, this content of a file. */
export const rememberVersion = ({ context, conversation_id }: Seen, root: string, path: string, version: string) =>
  saveVersion({ conversation_id, workspace: root, path, version, seen_at: iso(context.clock.now()) })

/** Whether a conversation may replace the content of a file: it has seen this one, another one, or none. */
export async function seenVersion(
  { context, conversation_id }: Seen,
  root: string,
  path: string,
  version: string | null,
): Promise<'same' | 'changed' | 'never'> {
  const seen = await findVersion(context, conversation_id, root, path)
  if (seen === null) return 'never'
  return seen === version ? 'same' : 'changed'
}
