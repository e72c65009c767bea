import { applyPatch, structuredPatch } from 'diff'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { conflict } from '../fault.ts'
import { newId } from '../id.ts'
import { machinePath } from '../paths.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import {
  hashOf,
  insertChange,
  keepContents,
  listChanges,
  markUndone,
  readKept,
  type StoredChange,
} from './change-store.ts'
import { markTainted, taintedAmong } from './store.ts'
import { ToolError, type ToolScope } from './tool.ts'
import { machineFolder } from './workspace.ts'

/** Bytes of a content that is kept. */
const maxKept = 5 * 1024 * 1024

interface Replacement {
  root: string
  path: string
  /** Null for no file. */
  before: Uint8Array | null
  after: Uint8Array | null
}

type Changing = Pick<ToolScope, 'context' | 'conversation_id' | 'message_id' | 'spender'>

/** Keeps both contents of a file that is about to change, so that the change can be shown and undone. */
export async function keepChange(
  { context, conversation_id, message_id, spender }: Changing,
  { root, path, before, after }: Replacement,
  also: readonly Statement[] = [],
): Promise<void> {
  refuseRepositoryData(path)
  const now = context.clock.now()
  const hashes = { before: hashOf(context, before), after: hashOf(context, after) }
  if (hashes.before === hashes.after) return void (also.length > 0 && (await context.commit(also)))
  const answer = spender?.answer ?? { conversation_id, message_id }
  const change: StoredChange = {
    id: newId('chg', now),
    root,
    path,
    conversation_id: answer.conversation_id,
    answer_id: answer.message_id,
    message_id,
    run_ref: spender?.category === 'projects' ? (spender.run_ref ?? null) : null,
    ...hashes,
    bytes: (before?.byteLength ?? 0) + (after?.byteLength ?? 0),
    untrusted: before !== null && (await taintedAmong(context, root, [path])).length > 0,
    changed_at: iso(now),
    undone_at: null,
  }
  // A crash after the row leaves a change that has not happened, which undoing passes over.
  await context.commit([insertChange(change), ...also])
  await keepContents(
    context,
    [before, after].filter((bytes) => (bytes?.byteLength ?? 0) <= maxKept),
  )
}

/** What git keeps about a repository can start programs of the person, such as hooks. */
function refuseRepositoryData(path: string): void {
  if (path.split(/[\\/]/).some((name) => name.normalize('NFKC').toLowerCase().trim() === '.git'))
    throw new ToolError(`${path} is refused: the data of a repository is not changed here`)
}

/** The paths that an answer has changed, each once, with what became of the file. */
export async function pathsChanged(context: Context, message_id: string) {
  const paths = new Map<string, 'created' | 'changed'>()
  for (const { path, before } of await listChanges(context, { message_id }))
    paths.set(path, paths.get(path) ?? (before === null ? 'created' : 'changed'))
  return [...paths].map(([path, change]) => ({ path, change }))
}

/** What agents changed in one file, from one state to another. */
export const KeptChange = z.object({
  path: z.string(),
  before: z.string().nullable().meta({ description: 'Null if there was no file' }),
  after: z.string().nullable().meta({ description: 'Null if the file was removed' }),
  note: z.string().nullable().meta({ description: 'Why the contents are not shown; null if they are' }),
  undone: z.boolean(),
  changed_at: z.string(),
})
export type KeptChange = z.output<typeof KeptChange>

/** Characters of a content that is shown. */
const maxShown = 200_000

/** Changes that follow each other as one; oldest first. */
function joined(changes: readonly StoredChange[]): StoredChange[][] {
  const groups: StoredChange[][] = []
  for (const change of changes) {
    const group = groups.findLast(([first]) => first?.root === change.root && first.path === change.path)
    const last = group?.at(-1)
    const follows = last?.after === change.before && (last.undone_at === null) === (change.undone_at === null)
    if (group && follows) group.push(change)
    else groups.push([change])
  }
  return groups
}

/** What these changes did, file by file. */
export async function describeChanges(context: Context, changes: readonly StoredChange[]): Promise<KeptChange[]> {
  const described: KeptChange[] = []
  for (const group of joined(changes)) {
    const [first, last] = [group[0], group.at(-1)]
    if (!first || !last || first.before === last.after) continue
    const texts = [await shownText(context, first.before), await shownText(context, last.after)] as const
    const note = texts.find((text) => text !== null && 'note' in text)?.note ?? null
    described.push({
      path: first.path,
      before: note === null ? (texts[0]?.text ?? null) : null,
      after: note === null ? (texts[1]?.text ?? null) : null,
      note,
      undone: first.undone_at !== null,
      changed_at: last.changed_at,
    })
  }
  return described
}

type Shown = { text: string; note?: undefined } | { text?: undefined; note: string } | null

async function shownText(context: Context, hash: string | null): Promise<Shown> {
  if (hash === null) return null
  const bytes = await readKept(context, hash)
  if (!bytes) return { note: 'It was too large to be kept, or is no longer kept' }
  const text = decoded(bytes)
  if (text === null) return { note: 'It is not text' }
  return text.length > maxShown
    ? { note: 'It is too long to be shown' }
    : { text: context.process.redaction.customText(text) }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\u0000') ? null : text
  } catch {
    return null
  }
}

/**
 * Undoes these changes, and keeps what others have changed in the same files since. Throws a 409 that names the files in
 * which that is impossible; then nothing is undone. Returns the paths that were changed, the changes as they are then, and
 * the statement that stores it.
 */
export async function undoChanges(
  context: Context,
  all: readonly StoredChange[],
): Promise<{ paths: string[]; changes: StoredChange[]; statement: Statement }> {
  const changes = all.filter(({ undone_at }) => undone_at === null)
  if (changes.length === 0) throw conflict('There is no change that could be undone')
  const files = [...Map.groupBy(changes, ({ root, path }) => `${root}\n${path}`).values()]
  const refused: string[] = []
  for (const group of files) {
    const [{ root, path }] = group as [StoredChange]
    await requireRoot(context, root)
    if (!(await revert(context, group, await context.files.read(root, path)))) refused.push(path)
  }
  if (refused.length > 0)
    throw conflict(
      `Nothing was undone, because these files have changed since, or their contents are no longer kept: ${refused.join(', ')}`,
    )
  const paths: string[] = []
  for (const group of files) if (await undoFile(context, group)) paths.push(group[0]?.path ?? '')
  const now = iso(context.clock.now())
  const ids = changes.map(({ id }) => id)
  return {
    paths,
    changes: all.map((change) => ({ ...change, undone_at: change.undone_at ?? now })),
    statement: markUndone(ids, now),
  }
}

/** A folder of the machine may have been disallowed since. */
async function requireRoot(context: Context, root: string): Promise<void> {
  const path = machinePath(root)
  const folder = path === null ? null : await machineFolder(context, path)
  if (folder && !folder.ok) throw conflict(`The folder ${path} ${folder.problem}`)
}

/** Whether the file has changed. */
async function undoFile(context: Context, changes: readonly StoredChange[]): Promise<boolean> {
  const [{ root, path }] = changes as [StoredChange]
  const isRemoved = await context.files.change(root, path, async (file) => {
    const current = await context.files.read(root, path)
    const reverted = await revert(context, changes, current)
    if (!reverted) throw conflict(`${path} has changed meanwhile; try again`)
    if (hashOf(context, reverted.bytes) === hashOf(context, current)) return null
    const isUntrusted = changes.some(({ untrusted }) => untrusted)
    if (isUntrusted) await context.commit([markTainted(root, path, iso(context.clock.now()))])
    if (reverted.bytes === null) return true
    await file.write(reverted.bytes)
    return false
  })
  if (isRemoved) await context.files.remove(root, path)
  return isRemoved !== null
}

/** The content of a file without these changes, oldest first; null if they cannot be taken out. */
async function revert(
  context: Context,
  changes: readonly StoredChange[],
  current: Uint8Array | null,
): Promise<{ bytes: Uint8Array | null } | null> {
  let bytes = current
  for (const change of changes.toReversed()) {
    const hash = hashOf(context, bytes)
    // It has not happened, or is undone already.
    if (hash === change.before) continue
    const before = change.before === null ? null : await readKept(context, change.before)
    if (change.before !== null && before === null) return null
    if (hash === change.after) bytes = before
    else {
      const after = change.after === null ? null : await readKept(context, change.after)
      const text = before && after && bytes && withoutChange(before, after, bytes)
      if (!text) return null
      bytes = text
    }
  }
  return { bytes }
}

/** Steps of the comparison, which takes quadratic time. */
const maxEditLength = 2_000

/** A text without the change from `before` to `after`, although other lines have changed since; null if that is impossible. */
function withoutChange(before: Uint8Array, after: Uint8Array, current: Uint8Array): Uint8Array | null {
  const [old, changed, now] = [decoded(before), decoded(after), decoded(current)]
  if (old === null || changed === null || now === null) return null
  const patch = structuredPatch('', '', changed, old, '', '', { context: 3, maxEditLength })
  const text = patch ? applyPatch(now, patch) : false
  return text === false ? null : new TextEncoder().encode(text)
}
