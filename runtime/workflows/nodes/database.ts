import { z } from 'zod'
import type { Context } from '../../context.ts'
import { databaseOf, withoutSecrets } from '../../credentials/index.ts'
import {
  type Dialect,
  deleteStatement,
  insertStatements,
  SqlProblem,
  tablesStatement,
  updateStatements,
} from '../../databases/dialect.ts'
import { statementsOf } from '../../databases/statement.ts'
import { DatabaseError, type DatabaseServer, type DatabaseStatement } from '../../ports/databases.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { reference } from '../../references.ts'
import { boundParts } from '../bound-text.ts'
import { NodeError, nodeType, permanentError, refusal } from '../node-type.ts'
import { type Row, requireRows } from './rows.ts'

export const databaseCredential = reference('credential', 64)
  .default('')
  .meta({ title: 'Credential', description: 'One of the kind Database', labels: { null: 'None' } })

const Params = z.object({
  action: z
    .enum(['query', 'execute', 'insert', 'update', 'upsert', 'delete', 'tables'])
    .default('query')
    .meta({
      labels: {
        query: 'Read with a statement',
        execute: 'Execute a statement',
        insert: 'Add rows',
        update: 'Change rows',
        upsert: 'Change rows, or add them',
        delete: 'Delete rows',
        tables: 'List the tables',
      },
    }),
  credential: databaseCredential,
  sql: z.string().max(100_000).default('').meta({
    title: 'Statement',
    description:
      'To read or execute. Values of {{ expressions }} are bound: they never become part of the statement, as in WHERE id = {{ input.id }}',
    format: 'multiline',
    'x-language': 'sql',
  }),
  values: z
    .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .default([])
    .meta({ description: 'A list of the values of $1, $2 and so on in the statement' }),
  table: z.string().max(300).default('').meta({ description: 'To add, change or delete; schema.table also works' }),
  rows: z.unknown().optional().meta({
    description:
      'To add or change: one row by column, such as {"name": "Ada"}, or a list. Leave blank to use the input of the node',
  }),
  match: z.array(z.string().min(1).max(200)).max(50).default([]).meta({
    title: 'Columns to match',
    description: 'To change: those that say which row it is. To change or add: those of a unique key',
    format: 'tags',
  }),
  where: z.record(z.string(), z.unknown()).default({}).meta({
    description: 'To delete: the rows with these values by column, such as {"id": 5}',
  }),
  skip_existing: z.boolean().default(false).meta({ description: 'To add: rows that exist are left out' }),
  limit: z.int().min(1).max(100_000).default(1_000).meta({ description: 'To read: at most so many rows' }),
  long_as_text: z.boolean().default(false).meta({
    title: 'Long integers as text',
    description: 'Otherwise integers of 64 bits are numbers, as long as a number can hold them',
  }),
})
type Params = z.output<typeof Params>

const reads = ({ action }: Params): boolean => action === 'query' || action === 'tables'
const writes = ({ action }: Params): boolean => ['insert', 'update', 'upsert'].includes(action)

export const database = nodeType<Params>({
  type: 'database',
  title: 'Database',
  description:
    'Reads and changes rows of PostgreSQL, MySQL, MariaDB or SQLite. Its output is the rows. A change without rows to return gives {success, changed}.',
  category: 'data',
  params: Params,
  usual_input: 'item',
  risk: 'medium',
  side_effects: true,
  effect: (params) => !reads(params),
  bound: ['sql'],
  run: (params, { context, input }) =>
    withDatabase(context, params.credential, async (server) => {
      const dialect = dialectOf(server)
      const rows = writes(params) ? requireRows(params.rows ?? input) : []
      const isNothing = writes(params) && params.rows !== undefined && rows.length === 0
      const statements = isNothing ? [] : statementsFor(params, rows, dialect)
      const { limit, long_as_text } = params
      const isRead = reads(params)
      const run = { statements, read_only: isRead, max_rows: isRead ? limit : 100_000, long_as_text }
      const result = await context.databases.run(server, run, context.signal)
      if (isRead || result.rows.length > 0) return { output: result.rows }
      return { output: { success: true, changed: result.changed } }
    }),
})

function dialectOf({ engine }: DatabaseServer): Dialect {
  if (engine === 'redis') throw permanentError('invalid_params', 'This credential is for Redis: use the node Redis')
  return engine
}

function statementsFor(params: Params, rows: readonly Row[], dialect: Dialect): DatabaseStatement[] {
  const { action, sql, values, table, match, where, skip_existing } = params
  const target = { table, dialect }
  switch (action) {
    case 'query':
    case 'execute': {
      const statements = statementsOf(boundParts(sql), Object.values(values), dialect)
      if (statements.length === 0) throw permanentError('invalid_params', 'Statement is required')
      return statements
    }
    case 'insert':
      return insertStatements(target, rows, { skip_existing })
    case 'upsert':
      return insertStatements(target, rows, { match: requireMatch(match) })
    case 'update':
      return updateStatements(target, rows, match)
    case 'delete':
      return [deleteStatement(target, where)]
    case 'tables':
      return [tablesStatement(dialect)]
  }
}

function requireMatch(match: readonly string[]): readonly string[] {
  if (match.length === 0) throw permanentError('invalid_params', 'Columns to match is required')
  return match
}

/** Runs a task with the database of a credential; its errors are those of a node, without secrets. */
export async function withDatabase<Result>(
  context: Context,
  credential: string,
  task: (server: DatabaseServer) => Promise<Result>,
): Promise<Result> {
  if (credential === '') throw permanentError('credential', 'Credential is required: choose one of the kind Database')
  try {
    return await task(await databaseOf(context, credential))
  } catch (thrown) {
    context.signal.throwIfAborted()
    if (thrown instanceof OutboundBlocked)
      throw permanentError(
        'blocked',
        `The guard for outgoing requests refused it: ${thrown.message}. An administrator can allow it by entering the credential`,
      )
    if (thrown instanceof SqlProblem) throw permanentError('sql', `The statement cannot be sent: ${thrown.message}`)
    if (!(thrown instanceof DatabaseError)) throw refusal(thrown, 'credential')
    const { permanent, definite } = thrown
    throw new NodeError('database', withoutSecrets(context, thrown.message), { permanent, definite })
  }
}
