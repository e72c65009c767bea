import type { Host } from '../host.ts'
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

export const markTainted = (workspace: string, path: string, marked_at: string): Statement => ({
  sql: 'INSERT OR IGNORE INTO tainted_files (workspace, path, marked_at) VALUES (?, ?, ?)',
  args: [workspace, path, marked_at],
})

export const clearTainted = (workspace: string, path: string): Statement => ({
  sql: 'DELETE FROM tainted_files WHERE workspace = ? AND path = ?',
  args: [workspace, path],
})

/** The `paths` whose files contain external text. */
export async function taintedAmong(
  { sql }: Pick<Host, 'sql'>,
  workspace: string,
  paths: readonly string[],
): Promise<string[]> {
  const rows = await sql.read<{ path: string }>(
    'SELECT path FROM tainted_files WHERE workspace = ? AND path IN (SELECT value FROM json_each(?))',
    [workspace, JSON.stringify(paths)],
  )
  return rows.map(({ path }) => path)
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
