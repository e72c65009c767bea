import type { Host } from '../host.ts'
import { KeyedLock } from '../keyed-lock.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { type Retained, retainedRows } from '../retention.ts'
import { toBase64 } from '../secrets/base64.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import { worktreesRoot } from './workspace.ts'

/** One change of a file by an agent. */
export interface StoredChange {
  id: string
  /** The root in which the agent worked; see `rootOf`. */
  root: string
  path: string
  conversation_id: string
  /** The answer in that conversation; a helper works for the answer that called it. */
  answer_id: string
  /** The answer that made the change. */
  message_id: string
  /** The task of a project that it was for; null for other work. */
  run_ref: string | null
  /** Hashes of the contents; null for no file. */
  before: string | null
  after: string | null
  /** Of both contents. */
  bytes: number
  /** Whether the content before was untrusted text. */
  untrusted: boolean
  changed_at: string
  undone_at: string | null
}

const changes = new Table<StoredChange>('file_changes', { booleans: ['untrusted'] })

/** The changes of an answer or a task, oldest first; `answer_id` selects those of its helpers too. */
export const listChanges = (host: Sql, by: { answer_id: string } | { message_id: string } | { run_ref: string }) =>
  changes.list(host, 'id', by)

/** The same without those in a copy of a project's folder, which count when they are merged. */
export const listMergedChanges = async (host: Sql, by: Parameters<typeof listChanges>[1]) =>
  (await listChanges(host, by)).filter(({ root }) => !root.startsWith(`${worktreesRoot}/`))

/** The answers of a conversation that have changed files, oldest first. */
export async function listChangedAnswers({ sql }: Sql, conversation_id: string) {
  const rows = await sql.read<{ answer_id: string; files: number; undone: number }>(
    `SELECT answer_id, count(DISTINCT root || ' ' || path) AS files, min(undone_at IS NOT NULL) AS undone FROM file_changes
      WHERE conversation_id = ? AND root NOT LIKE ? GROUP BY answer_id ORDER BY answer_id`,
    [conversation_id, `${worktreesRoot}/%`],
  )
  return rows.map(({ answer_id, files, undone }) => ({ message_id: answer_id, files, undone: undone === 1 }))
}

export const insertChange = (change: StoredChange): Statement => changes.insert(change)

export const markUndone = (ids: readonly string[], undone_at: string | null): Statement =>
  changes.update({ undone_at }, { id: ids })

const keptRoot = 'kept'

const pathOf = (hash: string) => `${hash.slice(0, 2)}/${hash}`

export const hashOf = ({ secrets }: Pick<Host, 'secrets'>, bytes: Uint8Array | null): string | null =>
  bytes && secrets.sha256(toBase64(bytes))

/** A content is neither stored nor looked for while it is removed. */
const locks = processState(() => new KeyedLock())

/** Keeps contents that rows name already, so that they are not removed meanwhile. */
export async function keepContents(host: Host, contents: readonly (Uint8Array | null)[]): Promise<void> {
  for (const bytes of contents) {
    const hash = hashOf(host, bytes)
    if (bytes && hash) await locks(host).run(hash, () => host.files.write(keptRoot, pathOf(hash), bytes))
  }
}

/** A kept content; null if it was too large, or was removed by age. */
export const readKept = (host: Host, hash: string): Promise<Uint8Array | null> =>
  host.files.read(keptRoot, pathOf(hash))

async function removeUnused(host: Host, hash: string): Promise<void> {
  await locks(host).run(hash, async () => {
    const used = await changes.exists(host, sql`before = ${hash} OR after = ${hash}`)
    if (!used) await host.files.remove(keptRoot, pathOf(hash))
  })
}

const deleteBefore = (before: string, limit: number): Statement =>
  changes.delete(sql`id IN (SELECT id FROM file_changes WHERE changed_at < ${before} ORDER BY changed_at LIMIT ${limit})
    RETURNING before, after`)

/** Contents are removed with the last row that names them. */
export const retainedChanges: Retained = {
  ...retainedRows({
    tables: ['file_changes'],
    rows: 'SELECT true AS ended, changed_at AS at, bytes FROM file_changes',
    prune: deleteBefore,
  }),
  async prune(host, before, limit) {
    const [deleted] = await host.sql.write([deleteBefore(before, limit)], { long: true })
    const hashes = (deleted?.rows ?? []).flatMap((row) => [row.before, row.after])
    for (const hash of new Set(hashes)) if (typeof hash === 'string') await removeUnused(host, hash)
    return deleted?.changes ?? 0
  },
}
