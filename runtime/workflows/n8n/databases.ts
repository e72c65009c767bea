import { type Dialect, quotedName } from '../../databases/dialect.ts'
import { ownValue } from '../../own-value.ts'
import { piecesOf, scriptExpression } from '../script/template.ts'
import { each, NotExact, skipped } from './equivalent.ts'
import { call } from './set.ts'
import { codeOf, commaSeparated, isExpression, jsonOf, listOf, translated } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'

const noCredential = 'needs a credential of the kind Database: choose it in the node'

/** A name chosen from a list, or as text. */
const nameIn = (parameter: unknown): string => {
  const value = typeof parameter === 'object' && parameter !== null ? (parameter as Fields).value : parameter
  return typeof value === 'string' ? value : ''
}

/** A text of SQL, and the values of its `$1`, `$2` … */
class Statement {
  readonly values: unknown[] = []
  readonly #dialect: Dialect

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  bind = (value: unknown): string => {
    this.values.push(value)
    return `$${this.values.length}`
  }

  name = (name: unknown): string =>
    isExpression(name) ? `${this.bind(name)}:name` : quotedName(String(name), this.#dialect)

  table({ schema, table }: Fields): string {
    const own = nameIn(table)
    if (own === '') throw new NotExact('its table is not known')
    const names = this.#dialect === 'postgres' ? [nameIn(schema) || 'public', own] : [own]
    return names.map(this.name).join('.')
  }

  where({ where, combineConditions = 'AND' }: Fields): string {
    const conditions = listOf(where).map(({ column, condition = 'equal', value }) => {
      const operator = condition === 'equal' ? '=' : String(condition)
      if (!/^(=|!=|<=?|>=?|LIKE|IS NULL|IS NOT NULL)$/.test(operator))
        throw new NotExact(`the condition ${operator} has no equivalent`)
      const left = this.name(column)
      return operator.startsWith('IS') ? `${left} ${operator}` : `${left} ${operator} ${this.bind(value)}`
    })
    return conditions.length === 0 ? '' : ` WHERE ${conditions.join(combineConditions === 'OR' ? ' OR ' : ' AND ')}`
  }
}

/** Whether a statement only reads. */
const isReading = (sql: string): boolean =>
  /^\s*(?:select|with|show|explain|describe|values)\b/i.test(sql) &&
  !/\b(?:insert|update|delete|into|merge|create|drop|alter|truncate|call|nextval|setval)\b/i.test(sql)

/** The values that a query names, which a text separates by commas. */
function replacements({ queryReplacement }: Fields): unknown {
  if (queryReplacement === undefined || queryReplacement === '') return []
  if (!isExpression(queryReplacement))
    return String(queryReplacement)
      .split(',')
      .map((one) => translated(one.trim()))
  const pieces = piecesOf(queryReplacement.slice(1))
  const expressions = pieces.filter((_, index) => index % 2 === 1)
  if (expressions.length === 0)
    return String(queryReplacement)
      .slice(1)
      .split(',')
      .map((one) => one.trim())
  if (expressions.length === 1) return scriptExpression(`[${call(codeOf(`={{${expressions[0]}}}`))}].flat()`)
  return expressions.map((one) => translated(`={{${one}}}`))
}

function query(node: Translating): Fields {
  const { parameters, report } = node
  const { query: own = '', options, additionalFields } = parameters
  // n8n fills in what is between braces without the mark of an expression too.
  const text = !isExpression(own) && String(own).includes('{{') ? `=${String(own)}` : own
  const { queryParams } = (additionalFields ?? {}) as Fields
  const sql = isExpression(text) ? text.slice(1) : String(text)
  const [before = '', code, after = '', ...more] = piecesOf(sql)
  const isWhole = isExpression(text) && before.trim() + after.trim() === '' && more.length === 0
  const isRead = !(isWhole && code !== undefined) && isReading(sql)
  if (isRead) report('query', 'outputs nothing if there are no rows; in n8n, an item with success')
  if (isExpression(text) && code !== undefined && !isWhole)
    report('query', 'binds the values of its expressions: none can be a part of the statement itself', text)
  const names = commaSeparated(queryParams)
  return {
    action: isRead ? 'query' : 'execute',
    sql: translated(isWhole && code !== undefined ? `={{${code}}}` : text),
    values:
      names.length > 0
        ? names.map((name) => scriptExpression(`$json[${JSON.stringify(name)}]`))
        : replacements((options ?? {}) as Fields),
  }
}

function select(node: Translating, dialect: Dialect): Fields {
  const { parameters } = node
  const { returnAll, limit = 50, sort, options } = parameters
  const { outputColumns } = (options ?? {}) as Fields
  const statement = new Statement(dialect)
  const columns = Array.isArray(outputColumns) && !outputColumns.includes('*') ? outputColumns : []
  const from = statement.table(parameters)
  const head = `SELECT ${columns.map(statement.name).join(', ') || '*'} FROM ${from}${statement.where(parameters)}`
  const order = listOf(sort).map(({ column, direction = 'ASC' }) => {
    if (!/^(asc|desc)$/i.test(String(direction))) throw new NotExact('an order from an expression has no equivalent')
    return `${statement.name(column)} ${String(direction)}`
  })
  const tail =
    (order.length > 0 ? ` ORDER BY ${order.join(', ')}` : '') +
    (returnAll === true ? '' : ` LIMIT ${statement.bind(limit)}`)
  return { action: 'query', sql: head + tail, values: translated(statement.values) }
}

function remove({ parameters }: Translating, dialect: Dialect): Fields {
  const { deleteCommand = 'truncate', restartSequences, options } = parameters
  const statement = new Statement(dialect)
  const table = statement.table(parameters)
  const cascade = (options as Fields | undefined)?.cascade === true ? ' CASCADE' : ''
  const sql =
    deleteCommand === 'delete'
      ? `DELETE FROM ${table}${statement.where(parameters)}`
      : deleteCommand === 'drop'
        ? `DROP TABLE IF EXISTS ${table}${cascade}`
        : `TRUNCATE TABLE ${table}${restartSequences === true && dialect === 'postgres' ? ' RESTART IDENTITY' : ''}${cascade}`
  return { action: 'execute', sql, values: translated(statement.values) }
}

/** The table as `schema.table`, which may have expressions. */
function tableOf({ schema, table }: Fields, dialect: Dialect): unknown {
  const names = [dialect === 'postgres' ? nameIn(schema) : '', nameIn(table)]
  if (names[1] === '') throw new NotExact('its table is not known')
  const own = names.filter((name, index) => name !== '' && !(index === 0 && name === 'public'))
  const text = own.map((name) => (isExpression(name) ? name.slice(1) : name)).join('.')
  return translated(own.some(isExpression) ? `=${text}` : text)
}

/** The row that a node writes, and the columns that say which one it is. */
function written({ parameters }: Translating): Fields {
  const { columns, dataMode, valuesToSend, columnToMatchOn, valueToMatchOn, updateKey } = parameters
  if (typeof columns === 'string') return olderRow(columns, updateKey)
  const { mappingMode = dataMode, value, matchingColumns } = (columns ?? {}) as Fields
  const match = [matchingColumns ?? columnToMatchOn ?? []].flat().map((name) => nameIn(name) || String(name))
  if (match.some(isExpression)) throw new NotExact('a column from an expression has no equivalent')
  if (mappingMode === 'autoMapInputData') return { rows: '=js:{{ $json }}', match }
  const older = listOf(valuesToSend).map(({ column, value: own }) => [nameIn(column) || String(column), own])
  if (older.some(([name]) => isExpression(name))) throw new NotExact('a column from an expression has no equivalent')
  const row = columns === undefined ? Object.fromEntries(older) : ((value ?? {}) as Fields)
  if (Object.keys(row).length === 0) throw new NotExact('it has no values')
  const matched = valueToMatchOn === undefined || match[0] === undefined ? {} : { [match[0]]: valueToMatchOn }
  return { rows: translated({ ...matched, ...row }), match }
}

/** In version 1, the fields of the item by the names of the columns; a type may follow after a colon. */
function olderRow(columns: string, updateKey: unknown): Fields {
  if (isExpression(columns)) throw new NotExact('columns from an expression have no equivalent')
  const match = typeof updateKey === 'string' ? [updateKey] : []
  const names = [...match, ...commaSeparated(columns).map((name) => name.replace(/:.*/, '').trim())]
  if (names.length === 0) return { rows: '=js:{{ $json }}', match }
  const row = names.map((name) => [name, scriptExpression(`$json[${JSON.stringify(name)}]`)])
  return { rows: Object.fromEntries(row), match }
}

const writing = { insert: 'insert', update: 'update', upsert: 'upsert' } as const

/** Options that the node has, or that it does not need. */
const translatedOptions = [
  'queryReplacement',
  'outputColumns',
  'skipOnConflict',
  'largeNumbersOutput',
  'cascade',
  'queryBatching',
  'connectionTimeout',
]

function sql(dialect: Dialect): Translate {
  return (node) => {
    const { parameters, report, has_credential } = node
    const { operation = 'insert', options } = parameters
    const own = (options ?? {}) as Fields
    const action = ownValue(writing, String(operation))
    const params =
      operation === 'executeQuery'
        ? query(node)
        : operation === 'select'
          ? select(node, dialect)
          : operation === 'deleteTable'
            ? remove(node, dialect)
            : action
              ? { action, table: tableOf(parameters, dialect), ...written(node) }
              : null
    if (!params) throw new NotExact(`its operation ${String(operation)} has no equivalent`)
    if (own.queryBatching === 'transaction')
      report('options.queryBatching', 'is a transaction for each item instead of one for all')
    skipped(node, 'options', own, translatedOptions)
    if (!has_credential) report('credential', noCredential)
    return each('database', {
      ...params,
      ...(own.skipOnConflict === true ? { skip_existing: true } : {}),
      limit: 100_000,
      long_as_text: dialect === 'postgres' ? own.largeNumbersOutput !== 'numbers' : own.largeNumbersOutput === 'text',
    })
  }
}

const types = { automatic: 'auto', string: 'string', hash: 'hash', list: 'list', sets: 'set' } as const

function redis(node: Translating): Translated {
  const { parameters, has_credential, report } = node
  const { operation = 'info', keyType = 'automatic', value, valueIsJSON = true, options } = parameters
  const { key, list, channel, keyPattern, messageData, tail, getValues } = parameters
  const { propertyName = 'propertyName', expire, ttl = 60 } = parameters
  const type = ownValue(types, String(keyType))
  if (!type) throw new NotExact(`the type ${String(keyType)} has no equivalent`)
  if ((options as Fields | undefined)?.dotNotation === false && String(propertyName).includes('.'))
    throw new NotExact('a field with a dot in its name has no equivalent')
  if (type === 'hash' && operation === 'set' && valueIsJSON === false)
    throw new NotExact('a hash that is not JSON has no equivalent')
  if (!has_credential) report('credential', noCredential)
  const field = translated(propertyName)
  const expires =
    expire === true
      ? { expires_seconds: typeof ttl === 'number' ? ttl : scriptExpression(`Number(${call(codeOf(ttl))})`) }
      : {}
  const text = translated(messageData)
  const isJson = type === 'hash' || type === 'list'
  const byOperation: Readonly<Record<string, Fields>> = {
    delete: { action: 'delete', key: translated(key) },
    get: { action: 'get', key: translated(key), type, field },
    incr: { action: 'increment', key: translated(key), ...expires },
    info: { action: 'info' },
    keys: { action: 'keys', key: translated(keyPattern), with_values: getValues !== false },
    pop: { action: 'pop', key: translated(list), from_end: tail === true, field },
    publish: { action: 'publish', key: translated(channel), value: text },
    push: { action: 'push', key: translated(list), value: text, from_end: tail === true },
    set: { action: 'set', key: translated(key), type, value: isJson ? jsonOf(value) : translated(value), ...expires },
  }
  const params = ownValue(byOperation, String(operation))
  if (!params) throw new NotExact(`its operation ${String(operation)} has no equivalent`)
  return each('redis', params)
}

/** The nodes of databases. */
export const databaseNodes: Readonly<Record<string, Translate>> = {
  ...{ postgres: sql('postgres'), timescaleDb: sql('postgres'), crateDb: sql('postgres'), questDb: sql('postgres') },
  mySql: sql('mysql'),
  redis,
}
