import Database from 'libsql'

type Connection = Database.Database
type Prepare = Connection['prepare']

/** What one text of SQL has cost since the last reset. */
export interface StatementCost {
  sql: string
  calls: number
  /** Milliseconds in the driver. */
  ms: number
  /** Rows that were returned or changed. */
  rows: number
  /**
   * Instructions of SQLite's virtual machine, as the table `sqlite_stmt` counts them: a few for each row that is read, used
   * or not. The same data gives the same number on every machine.
   */
  steps: number
}

interface Runs {
  all(...args: unknown[]): unknown[]
  run(...args: unknown[]): { changes: number }
}

interface Count extends StatementCost {
  /** The counter of SQLite at the last reset. */
  before: number
}

/** Counts what each statement of the driver costs, for all connections that prepare one while it is installed. */
export class StatementCosts {
  readonly #connections = new Map<Connection, Map<string, Count>>()
  readonly #prepare: Prepare = Database.prototype.prepare

  static install(): StatementCosts {
    const costs = new StatementCosts()
    Database.prototype.prepare = function (this: Connection, sql: string) {
      return costs.#counted(this, costs.#prepare.call(this, sql), sql)
    } as Prepare
    return costs
  }

  uninstall(): void {
    Database.prototype.prepare = this.#prepare
  }

  reset(): void {
    for (const [connection, counts] of this.#connections) {
      const steps = this.#stepsOf(connection)
      for (const count of counts.values())
        Object.assign(count, { calls: 0, ms: 0, rows: 0, before: steps.get(count.sql) ?? 0 })
    }
  }

  /** The statements that ran since the last reset. */
  costs(): StatementCost[] {
    return [...this.#connections].flatMap(([connection, counts]) => {
      const steps = this.#stepsOf(connection)
      return [...counts.values()]
        .filter(({ calls }) => calls > 0)
        .map(({ before, ...cost }) => ({ ...cost, steps: (steps.get(cost.sql) ?? before) - before }))
    })
  }

  /** The statements that SQLite has compiled again and again, because of the values of their arguments. */
  recompiled(): string[] {
    const query = 'SELECT sql FROM sqlite_stmt WHERE reprep > 3 AND reprep * 2 > run'
    const open = [...this.#connections.keys()].filter((connection) => connection.open)
    return open.flatMap((connection) =>
      (this.#prepare.call(connection, query).all([]) as { sql: string }[]).map(({ sql }) => sql),
    )
  }

  #counted(connection: Connection, statement: ReturnType<Prepare>, sql: string): ReturnType<Prepare> {
    const counts = this.#connections.get(connection) ?? new Map<string, Count>()
    this.#connections.set(connection, counts)
    const count = counts.get(sql) ?? { sql, calls: 0, ms: 0, rows: 0, steps: 0, before: 0 }
    counts.set(sql, count)
    const counted = statement as Runs
    const [all, run] = [counted.all.bind(statement), counted.run.bind(statement)]
    const timed = <Result>(work: () => Result, rows: (result: Result) => number): Result => {
      const begun = performance.now()
      const result = work()
      count.ms += performance.now() - begun
      count.calls += 1
      count.rows += rows(result)
      return result
    }
    counted.all = (...args) =>
      timed(
        () => all(...args),
        ({ length }) => length,
      )
    counted.run = (...args) =>
      timed(
        () => run(...args),
        ({ changes }) => changes,
      )
    return statement
  }

  #stepsOf(connection: Connection): Map<string, number> {
    if (!connection.open) return new Map()
    const rows = this.#prepare.call(connection, 'SELECT sql, nstep FROM sqlite_stmt').all([])
    return new Map((rows as { sql: string; nstep: number }[]).map(({ sql, nstep }) => [sql, nstep]))
  }
}
