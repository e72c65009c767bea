import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { GuardFailed, type Sql, type Statement, type Value, type Written } from '../../runtime/ports/sql.ts'

export interface MemorySql extends Sql {
  /** The whole database, for another to start from. */
  image(): Uint8Array
}

/** The `Sql` port over a database in memory: an empty one, or a copy of the one that gave `image`. */
export function createMemorySql(image?: Uint8Array): MemorySql {
  const db = new DatabaseSync(':memory:')
  if (image) db.deserialize(image)
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  return {
    read: async <Row>(sql: string, args: readonly Value[] = []) => rowsOf(prepare(sql), args) as Row[],
    async write(statements) {
      db.exec('BEGIN')
      try {
        const written = statements.map((statement) => execute(prepare(statement.sql), statement))
        db.exec('COMMIT')
        return written
      } catch (thrown) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw thrown
      }
    },
    async compact() {
      if (prepare('PRAGMA freelist_count').get()?.freelist_count !== 0) db.exec('VACUUM')
    },
    shrink: async () => undefined,
    size: async () => ({ bytes: 0, wal_bytes: 0 }),
    close: async () => db.close(),
    image: () => db.serialize(),
  }
}

function execute(prepared: StatementSync, statement: Statement): Written {
  const args = statement.args ?? []
  const returns = prepared.columns().length > 0
  const rows = returns ? rowsOf(prepared, args) : []
  const changes = returns ? rows.length : Number(prepared.run(...args).changes)
  if (statement.guard !== undefined && changes === 0) throw new GuardFailed(statement.guard)
  return { rows, changes }
}

/** The rows of the driver have no prototype; plain objects compare and print as usual. */
const rowsOf = (prepared: StatementSync, args: readonly Value[]): Written['rows'] =>
  prepared.all(...args).map((row) => ({ ...row }) as Written['rows'][number])
