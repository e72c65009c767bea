import { machinePath } from '../paths.ts'
import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'

export interface Todo {
  id: string
  text: string
  done: boolean
}

/** The machine's files have one key each, however many workspaces contain them. */
function keyOf(workspace: string, path: string): [string, string] {
  const folder = machinePath(workspace)
  const plain = plainPath(path)
  return folder === null ? [workspace, plain] : ['machine', `${folder}/${plain}`]
}

/** A path can be written in many ways. */
const plainPath = (path: string): string =>
  path
    .normalize('NFC')
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.')
    .join('/')

/** The path of a mark for all files of a workspace. */
export const wholeWorkspace = ''

export const markTainted = (workspace: string, path: string, marked_at: string): Statement => ({
  sql: 'INSERT OR IGNORE INTO tainted_files (workspace, path, marked_at) VALUES (?, ?, ?)',
  args: [...keyOf(workspace, path), marked_at],
})

const tainted = new Table<{ workspace: string; path: string }>('tainted_files')

export function clearTainted(root: string, file: string): Statement {
  const [workspace, path] = keyOf(root, file)
  return tainted.delete({ workspace, path })
}

/** The `paths` whose files contain external text. */
export async function taintedAmong(host: Sql, workspace: string, paths: readonly string[]): Promise<string[]> {
  const [root] = keyOf(workspace, '')
  const keys = paths.map((path) => keyOf(workspace, path)[1])
  const taintedPaths = new Set(
    (await tainted.list(host, 'path', { workspace: root, path: keys })).map(({ path }) => path),
  )
  return paths.filter((_, index) => taintedPaths.has(keys[index] ?? ''))
}

/** The marks of one root for the same paths of another one, which has no others then. */
export function copyMarks(from: string, to: string): Statement[] {
  const [source, folder] = keyOf(from, '')
  const [target] = keyOf(to, '')
  return [
    tainted.delete({ workspace: target }),
    {
      sql: `INSERT OR IGNORE INTO tainted_files (workspace, path, marked_at)
        SELECT ?, substr(path, ?), marked_at FROM tainted_files WHERE workspace = ? AND substr(path, 1, ?) = ?`,
      args: [target, folder.length + 1, source, folder.length, folder],
    },
  ]
}

interface SeenVersion {
  conversation_id: string
  workspace: string
  path: string
  version: string
  seen_at: string
}

const versions = new Table<SeenVersion>('file_versions')

export function saveVersion(seen: SeenVersion): Statement {
  const [workspace, path] = keyOf(seen.workspace, seen.path)
  return versions.upsert({ ...seen, workspace, path }, 'conversation_id, workspace, path')
}

export async function findVersion(
  host: Sql,
  conversation_id: string,
  root: string,
  file: string,
): Promise<string | null> {
  const [workspace, path] = keyOf(root, file)
  return (await versions.find(host, { conversation_id, workspace, path }))?.version ?? null
}

export const pruneVersions = (before: string): Statement => versions.delete({ sql: 'seen_at < ?', args: [before] })

const mounts = new Table<{ root: string; path: string }>('workspace_folders')

/** Makes the root of a workspace stand for a folder of the machine. */
export const mountFolder = (root: string, path: string): Statement => mounts.insert({ root, path })

export const unmountFolder = (root: string): Statement => mounts.delete({ root })

/** The folder of the machine that a root stands for; null for a folder of the program. */
export const findMount = async (host: Sql, root: string): Promise<string | null> =>
  (await mounts.find(host, { root }))?.path ?? null

const todos = new Table<Todo, 'conversation_id' | 'created_at'>('todos', {
  booleans: ['done'],
  hidden: ['conversation_id', 'created_at'],
})

/** Oldest first. */
export const listTodos = (host: Sql, conversation_id: string) => todos.list(host, 'id', { conversation_id })

export const insertTodo = (conversation_id: string, todo: Todo, created_at: string): Statement =>
  todos.insert({ ...todo, conversation_id, created_at })

export const finishTodo = (conversation_id: string, id: string): Statement =>
  todos.update({ done: true }, { conversation_id, id })

export const deleteTodo = (conversation_id: string, id: string): Statement => todos.delete({ conversation_id, id })
