import { ownValue } from '../../own-value.ts'
import { scriptExpression } from '../script/template.ts'
import { literal } from './conditions.ts'
import { each, skipped } from './equivalent.ts'
import { codeOf, commaSeparated, isExpression, jsonOf, plainText, translated } from './texts.ts'
import type { Fields, Translated, Translating } from './translating.ts'

interface Assignment {
  name: unknown
  type: string
  value: unknown
}

/** A `set` node. Each version writes its fields in another way. */
export function setFields(node: Translating): Translated {
  const { parameters } = node
  const options = (parameters.options ?? {}) as Fields
  skipped(node, 'options', options, ['dotNotation', 'ignoreConversionErrors', 'includeBinary', 'stripBinary'])
  const include = includeOf(node)
  const files = node.version < 3.4 && options.includeBinary === true ? ['$binary'] : []
  const isRaw = parameters.mode === 'raw'
  const assignments = isRaw ? [] : assignmentsOf(parameters)
  const values = assignments.map(({ name, type, value }) => [name, fieldOf(node, type, value)] as const)
  const params = {
    values: isRaw
      ? jsonOf(parameters.jsonOutput ?? '{}', '$joinJson')
      : assignments.some(({ name }) => isExpression(name))
        ? scriptExpression(
            `({ ${assignments.map((one) => `[${call(codeOf(one.name))}]: ${fieldCode(node, one)}`).join(', ')} })`,
          )
        : Object.fromEntries(values.map(([name, value]) => [String(name), value])),
    keep_input: include !== 'none' || files.length > 0,
    ...(include === 'selected' ? { only: [...commaSeparated(parameters.includeFields), ...files] } : {}),
    ...(include === 'none' && files.length > 0 ? { only: files } : {}),
    ...(include === 'except' ? { except: commaSeparated(parameters.excludeFields) } : {}),
    ...(options.dotNotation === false ? { paths: false } : {}),
  }
  return each('set', params)
}

function includeOf({ parameters, version }: Translating): unknown {
  if (version < 3) return parameters.keepOnlySet === true ? 'none' : 'all'
  return version >= 3.3 && parameters.includeOtherFields !== true ? 'none' : (parameters.include ?? 'all')
}

function assignmentsOf({ assignments, fields, values }: Fields): Assignment[] {
  const newest = (assignments as { assignments?: Assignment[] } | undefined)?.assignments ?? []
  const newer = ((fields as { values?: Fields[] } | undefined)?.values ?? []).map((field) => {
    const type = String(field.type ?? 'stringValue')
    return { name: field.name ?? 'propertyName', type: type.replace('Value', ''), value: field[type] ?? '' }
  })
  const older = Object.entries((values ?? {}) as Record<string, Fields[]>).flatMap(([type, list]) =>
    list.map(({ name, value }) => ({
      name: name ?? 'propertyName',
      type,
      value: value ?? ownValue({ number: 0, boolean: false }, type) ?? '',
    })),
  )
  // Numbers come after booleans, and texts last, however they are written.
  const order = ['boolean', 'number', 'string']
  return [...newest, ...newer, ...older.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type))]
}

function fieldOf(node: Translating, type: string, value: unknown): unknown {
  if (!isExpression(value) && (type === 'string' || node.version < 3)) {
    const own = node.version < 3 ? olderLiteral(node, type, value) : value
    return typeof own === 'string' ? plainText(own) : own
  }
  if (node.version < 3 && type !== 'boolean' && !(type === 'number' && node.version >= 2)) return translated(value)
  const own = isExpression(value) ? value : literal(value, type)
  if (typeof own === type)
    return translated(own) === own && type !== 'string' ? own : scriptExpression(fieldCode(node, { type, value: own }))
  return scriptExpression(fieldCode(node, { type, value: own }))
}

function olderLiteral({ version }: Translating, type: string, value: unknown): unknown {
  if (type === 'boolean') return literal(value, type)
  if (type !== 'number' || version < 2 || typeof value !== 'string') return value
  return Number.isNaN(Number(value)) ? value : Number(value)
}

function fieldCode({ version, parameters }: Translating, { type, value }: Omit<Assignment, 'name'>): string {
  const code = codeOf(value)
  if (version < 3) {
    if (type === 'boolean') return `Boolean(${call(code)})`
    if (type !== 'number' || version < 2) return call(code)
    return `((value) => (typeof value === "string" && !Number.isNaN(Number(value)) ? Number(value) : value))(${call(code)})`
  }
  const missing = type === 'string' && version < 3.2 ? (version > 3 ? 'error' : 'text') : undefined
  const options = {
    ...(missing ? { missing } : {}),
    ...((parameters.options as Fields | undefined)?.ignoreConversionErrors === true ? { loose: true } : {}),
  }
  return `$typed(${code}, ${JSON.stringify(type)}${Object.keys(options).length > 0 ? `, ${JSON.stringify(options)}` : ''})`
}

/** The value of code that may be a function. */
export const call = (code: string): string => (code.startsWith('() =>') ? `$typed(${code}, "any")` : code)
