import { constants, DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import type { DatabaseResult, DatabaseRun } from '../../runtime/ports/databases.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import { Rows } from './connection.ts'

/** Milliseconds to wait for another program that writes. */
const busyTimeout = 5_000

/** What reaches other files. */
const forbidden = new Set([constants.SQLITE_ATTACH, constants.SQLITE_DETACH])

parentPort?.on('message', (question: DatabaseRun & { path: string }) => {
  try {
    parentPort?.postMessage(run(question))
  } catch (thrown) {
    const is_busy = (thrown as { errcode?: number }).errcode === 5
    parentPort?.postMessage({ error: errorMessage(thrown), is_busy })
  }
})

function run({ path, ...own }: DatabaseRun & { path: string }): DatabaseResult {
  const database = new DatabaseSync(path, { readOnly: own.read_only, allowExtension: false })
  try {
    database.exec(`PRAGMA busy_timeout = ${busyTimeout}`)
    database.setAuthorizer((action) => (forbidden.has(action) ? constants.SQLITE_DENY : constants.SQLITE_OK))
    return runAll(database, own)
  } finally {
    database.close()
  }
}

function runAll(database: DatabaseSync, run: DatabaseRun): DatabaseResult {
  const rows = new Rows(run)
  const isTransaction = run.statements.length > 1
  let changed = 0
  if (isTransaction) database.exec('BEGIN IMMEDIATE')
  for (const { text, values } of run.statements) {
    const statement = database.prepare(text)
    statement.setReadBigInts(true)
    const own = values.map(bound)
    if (statement.columns().length === 0) changed += Number(statement.run(...own).changes)
    else {
      for (const row of statement.iterate(...own)) {
        if (rows.isFull && run.read_only) break
        rows.add(plain(row))
      }
      // What RETURNING returns.
      if (!/^\s*(?:select|with|values|explain|pragma)\b/i.test(text)) changed += changesOf(database)
    }
  }
  if (isTransaction) database.exec('COMMIT')
  return { rows: rows.rows, changed }
}

const changesOf = (database: DatabaseSync): number => Number(database.prepare('SELECT changes() AS n').get()?.n ?? 0)

const bound = (value: unknown): SQLInputValue =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : (value as SQLInputValue)

/** Integers that a number can hold are numbers. */
const plain = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ]),
  )
