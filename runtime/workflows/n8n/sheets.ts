import { ownValue } from '../../own-value.ts'
import { each, NotExact, skipped } from './equivalent.ts'
import { isExpression, listOf, translated } from './texts.ts'
import type { Fields, Translated, Translating } from './translating.ts'

type Locator = { mode?: unknown; value?: unknown } | string | undefined

const located = (locator: Locator): { mode: unknown; value: unknown } =>
  typeof locator === 'object' ? { mode: locator.mode, value: locator.value } : { mode: 'id', value: locator }

/** A sheet by its title, or by its number as `gid=0`. */
function sheetOf(locator: Locator): unknown {
  const { mode, value = '' } = located(locator)
  const text = String(value)
  if (mode === 'name') return translated(text)
  if (isExpression(text)) return translated(mode === 'url' ? text : `=gid=${text.slice(1)}`)
  const gid = /(?:^|gid=)(\d+)$/.exec(text)?.[1]
  if (gid === undefined && text !== '') throw new NotExact('its sheet is not known')
  return gid === undefined ? '' : `gid=${gid}`
}

/** In versions 1 and 2, a sheet is part of a range that begins with its columns' names. */
function olderSheet({ range = 'A:F' }: Fields): string {
  const [, title, isWhole] = /^(?:(.+)!)?(A1?:[A-Z]+)?$/.exec(String(range)) ?? []
  if (isExpression(range) || (isWhole === undefined && title === undefined))
    throw new NotExact('a part of a sheet has no equivalent')
  return title ?? ''
}

const actions = {
  ...{ read: 'read', getAll: 'read', lookup: 'read', append: 'append', update: 'update', upsert: 'upsert' },
  ...{ appendOrUpdate: 'upsert', clear: 'clear' },
} as const

/** The row to write: what the node defines, or the item. */
function rowOf({ columns, dataMode, fieldsUi, columnToMatchOn, valueToMatchOn, key }: Fields): Fields {
  const { mappingMode = dataMode, value, matchingColumns } = (columns ?? {}) as Fields
  const match = String([matchingColumns].flat()[0] ?? columnToMatchOn ?? key ?? '')
  if (Array.isArray(matchingColumns) && matchingColumns.length > 1) throw new NotExact('several columns to match')
  if (isExpression(match)) throw new NotExact('a column from an expression has no equivalent')
  if (mappingMode !== 'defineBelow') return { rows: '=js:{{ $json }}', match }
  const older = listOf(fieldsUi).map((field) => [String(field.column ?? field.fieldId), field.fieldValue])
  const own = columns === undefined ? Object.fromEntries(older) : ((value ?? {}) as Fields)
  const matched = valueToMatchOn === undefined ? {} : { [match]: valueToMatchOn }
  return { rows: translated({ ...matched, ...own }), match }
}

function whereOf({ filtersUI, lookupColumn, lookupValue }: Fields): Fields {
  const older = lookupColumn === undefined ? [] : [{ lookupColumn, lookupValue }]
  const list = [...listOf(filtersUI), ...older]
  if (list.some(({ lookupColumn: column }) => isExpression(column) && /\{\{/.test(String(column))))
    throw new NotExact('a column from an expression has no equivalent')
  return Object.fromEntries(
    list.map((one) => [String(one.lookupColumn).replace(/^=/, ''), translated(one.lookupValue ?? '')]),
  )
}

/** A `googleSheets` node. */
export function googleSheets(node: Translating): Translated {
  const { parameters, version } = node
  const { resource = 'sheet', operation = 'read', documentId, sheetId, sheetName, options, combineFilters } = parameters
  const action = resource === 'sheet' ? ownValue(actions, String(operation)) : undefined
  if (!action) throw new NotExact(`its operation ${String(resource)}.${String(operation)} has no equivalent`)
  const { cellFormat, valueInputMode, returnFirstMatch, returnAllMatches, ...others } = (options ?? {}) as Fields
  for (const name of ['dataLocationOnSheet', 'locationDefine', 'dataStartRow', 'keyRow', 'range'])
    if (others[name] !== undefined) throw new NotExact('a part of a sheet has no equivalent')
  if (parameters.rawData === true) throw new NotExact('rows without names have no equivalent')
  if (action === 'clear' && (parameters.clear ?? 'wholeSheet') !== 'wholeSheet')
    throw new NotExact('clearing a part of a sheet has no equivalent')
  const where = whereOf(parameters)
  if (combineFilters === 'OR' && Object.keys(where).length > 1) throw new NotExact('one of several filters')
  skipped(node, 'options', others)
  if (!node.has_credential) node.report('credential', 'needs a credential for Google: choose it in the node')
  const isOlder = version < 3
  const isFirst = returnFirstMatch === true || (isOlder && operation === 'lookup' && returnAllMatches !== true)
  return each('sheet', {
    action,
    spreadsheet: translated(String(located((documentId ?? sheetId) as Locator).value ?? '')),
    sheet: isOlder ? olderSheet(parameters) : sheetOf(sheetName as Locator),
    ...(action === 'read' ? { where, first_only: isFirst } : action === 'clear' ? {} : rowOf(parameters)),
    ...(cellFormat === 'RAW' || (isOlder && valueInputMode !== 'USER_ENTERED') ? { raw: true } : {}),
  })
}
