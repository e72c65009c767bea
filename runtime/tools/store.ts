import type { Host } from '../host.ts'
import { machinePath } from '../paths.ts'
import type { Statement } from '../ports/sql.ts'

export interface Todo {
  id: string
  text: string
  done: boolean
}

interface Row {
  id: string
  text: string
  done: number
}

/** The machine's files have one key each, however many workspaces contain them. */
function keyOf(workspace: string, path: string): [string, string] {
  const folder = machinePath(workspace)
  return folder === null ? [workspace, path] : ['machine', `${folder}/${path}`]
}

/** The path of a mark for all files of a workspace. */
export const wholeWorkspace = ''

export const markTainted = (workspace: string, path: string, marked_at: string): Statement => ({
  sql: 'INSERT OR IGNORE INTO tainted_files (workspace, path, marked_at) VALUES (?, ?, ?)',
  args: [...keyOf(workspace, path), marked_at],
})

export const clearTainted = (workspace: string, path: string): Statement => ({
  sql: 'DELETE FROM tainted_files WHERE workspace = ? AND path = ?',
  args: keyOf(workspace, path),
})

/** The `paths` whose files contain external text. */
export async function taintedAmong(
  { sql }: Pick<Host, 'sql'>,
  workspace: string,
  paths: readonly string[],
): Promise<string[]> {
  const rows = await sql.read<{ path: string }>(
    'SELECT path FROM tainted_files WHERE workspace = ? AND path IN (SELECT value FROM json_each(?))',
    [keyOf(workspace, '')[0], JSON.stringify(paths.map((path) => keyOf(workspace, path)[1]))],
  )
  const found = new Set(rows.map(({ path }) => path))
  return paths.filter((path) => found.has(keyOf(workspace, path)[1]))
}

/** Makes the root of a workspace stand for a folder of the machine. */
export const mountFolder = (root: string, path: string): Statement => ({
  sql: 'INSERT INTO workspace_folders (root, path) VALUES (?, ?)',
  args: [root, path],
})

export const unmountFolder = (root: string): Statement => ({
  sql: 'DELETE FROM workspace_folders WHERE root = ?',
  args: [root],
})

/** The folder of the machine that a root stands for; null for a folder of the program. */
export async function findMount({ sql }: Pick<Host, 'sql'>, root: string): Promise<string | null> {
  const [row] = await sql.read<{ path: string }>('SELECT path FROM workspace_folders WHERE root = ?', [root])
  return row?.path ?? null
}

/** Oldest first. */
export async function listTodos({ sql }: Pick<Host, 'sql'>, conversation_id: string): Promise<Todo[]> {
  const rows = await sql.read<Row>('SELECT id, text, done FROM todos WHERE conversation_id = ? ORDER BY id', [
    conversation_id,
  ])
  return rows.map(({ id, text, done }) => ({ id, text, done: done === 1 }))
}

export const insertTodo = (conversation_id: string, todo: Todo, created_at: string): Statement => ({
  sql: 'INSERT INTO todos (id, conversation_id, text, done, created_at) VALUES (?, ?, ?, ?, ?)',
  args: [todo.id, conversation_id, todo.text, Number(todo.done), created_at],
})

export const finishTodo = (conversation_id: string, id: string): Statement => ({
  sql: 'UPDATE todos SET done = 1 WHERE conversation_id = ? AND id = ?',
  args: [conversation_id, id],
})

export const deleteTodo = (conversation_id: string, id: string): Statement => ({
  sql: 'DELETE FROM todos WHERE conversation_id = ? AND id = ?',
  args: [conversation_id, id],
})
