import type { DateTime as LuxonDateTime } from 'luxon'
import { comparable } from '../../../runtime/values.ts'
import { normalDate, parsedDate, unitOf, unitsOf } from './dates.ts'
import { algorithms, digest } from './digest.ts'
import { ascii, titleCase, withoutMarkdown } from './wording.ts'

/**
 * Methods that expressions have on values beside those of JavaScript, by the type of the value. They are called as
 * `extend(value, name, arguments)`, so that nothing is added to a prototype, and a method of the language of the same name
 * comes second.
 */

/** An error that an expression does not swallow. */
export class ExpressionError extends Error {
  override name = 'ExpressionError'
}

const fail = (message: string): never => {
  throw new ExpressionError(message)
}

// biome-ignore lint/suspicious/noExplicitAny: each method knows its own value and arguments
type Method = (value: any, ...values: any[]) => unknown
type Methods = Readonly<Record<string, Method>>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function distinct(list: readonly unknown[], fields: readonly string[] = []): unknown[] {
  const seen = new Set<string>()
  return list.filter((item) => {
    const compared = fields.length > 0 && isObject(item) ? fields.map((field) => item[field] ?? null) : item
    const key = `${typeof item} ${comparable(compared)}`
    return !seen.has(key) && seen.add(key)
  })
}

function numbersOf(list: readonly unknown[], name: string): number[] {
  if (list.some((item) => typeof item !== 'number')) fail(`${name}(): all array elements must be numbers`)
  return list as number[]
}

const sum = (list: readonly unknown[], name = 'sum') =>
  numbersOf(list, name).reduce((total, number) => total + number, 0)

export const average = (list: readonly unknown[]): number =>
  list.length === 0 ? 0 : sum(list, 'average') / list.length

const isBlank = (value: unknown) => value === null || value === undefined || value === '' || value === 'nil'
const isBare = (value: unknown) => isObject(value) && Object.keys(value).length === 0

function compactObject(value: object): Record<string, unknown> {
  const kept = Object.entries(value).filter(([, member]) => !isBlank(member) && !isBare(member))
  return Object.fromEntries(kept.map(([name, member]) => [name, isObject(member) ? compactObject(member) : member]))
}

/** Members of the first come before those of the others. */
const mergeObjects = (value: object, other: unknown): object => {
  if (!other) return value
  return isObject(other) ? { ...other, ...value } : fail('merge(): expected object arg')
}

function listArgument(name: string, value: unknown): unknown[] {
  return Array.isArray(value) ? value : fail(`${name}(): expected array arg, e.g. .${name}([1, 2, 3, 4])`)
}

const nothing = () => undefined

const arrays: Methods = {
  first: (list) => list[0],
  last: (list) => list.at(-1),
  isEmpty: (list) => list.length === 0,
  isNotEmpty: (list) => list.length > 0,
  randomItem: (list) => list[Math.floor(Math.random() * list.length)],
  unique: (list, ...fields) => distinct(list, fields),
  removeDuplicates: (list, ...fields) => distinct(list, fields),
  sum: (list) => sum(list),
  min: (list) => Math.min(...numbersOf(list, 'min')),
  max: (list) => Math.max(...numbersOf(list, 'max')),
  average,
  compact: (list: unknown[]) =>
    list.filter((item) => !isBlank(item) && !isBare(item)).map((item) => (isObject(item) ? compactObject(item) : item)),
  pluck(list: unknown[], ...fields: string[]) {
    if (fields.length === 0) return list
    return list.flatMap((item) => {
      if (!isObject(item)) return []
      const values = Object.keys(item).flatMap((name) => (fields.includes(name) ? [item[name]] : []))
      return values.length === 0 ? [] : values.length === 1 ? values : [values]
    })
  },
  smartJoin(list: unknown[], key: unknown, value: unknown) {
    if (typeof key !== 'string' || typeof value !== 'string' || key === '' || value === '')
      return fail('smartJoin(): expected two string args, e.g. .smartJoin("name", "value")')
    const pairs = list.filter((item): item is Record<string, unknown> => isObject(item) && key in item && value in item)
    return Object.fromEntries(pairs.map((item) => [item[key], item[value]]))
  },
  chunk(list: unknown[], size: unknown) {
    if (typeof size !== 'number' || size === 0) return fail('chunk(): expected non-zero numeric arg, e.g. .chunk(5)')
    const count = size > 0 ? Math.ceil(list.length / size) : 0
    return Array.from({ length: count }, (_, index) => list.slice(index * size, (index + 1) * size))
  },
  renameKeys(list: unknown[], ...names: string[]) {
    if (names.length === 0 || names.length % 2 !== 0)
      fail('renameKeys(): expected an even amount of args: from1, to1 [, from2, to2, ...]')
    return list.map((item) => {
      if (!isObject(item)) return item
      const renamed = { ...item }
      for (let index = 0; index < names.length; index += 2) {
        const [from = '', to = ''] = names.slice(index, index + 2)
        if (!(from in renamed)) continue
        renamed[to] = renamed[from]
        delete renamed[from]
      }
      return renamed
    })
  },
  merge(list: unknown[], others: unknown) {
    if (others === undefined)
      return list
        .filter((item): item is object => isObject(item) && !Array.isArray(item))
        .reduce((merged: object, item) => mergeObjects(merged, item), {})
    const other = listArgument('merge', others)
    const pairs = list.flatMap((item, index) =>
      isObject(item) && typeof other[index] === 'object' ? [mergeObjects(item, other[index])] : [],
    )
    return Object.assign({}, ...pairs)
  },
  union: (list, others) => distinct([...list, ...listArgument('union', others)]),
  difference(list: unknown[], others: unknown) {
    const keys = new Set(listArgument('difference', others).map(comparable))
    return distinct(list.filter((item) => !keys.has(comparable(item))))
  },
  intersection(list: unknown[], others: unknown) {
    const keys = new Set(listArgument('intersection', others).map(comparable))
    return distinct(list.filter((item) => keys.has(comparable(item))))
  },
  append: (list, ...items) => [...list, ...items],
  toJsonString: (list) => JSON.stringify(list),
  ...{ toInt: nothing, toFloat: nothing, toBoolean: nothing, toDateTime: nothing },
}

const objects: Methods = {
  isEmpty: (object) => Object.keys(object).length === 0,
  isNotEmpty: (object) => Object.keys(object).length > 0,
  hasField: (object, name) => name in object,
  removeField: (object, name) => Object.fromEntries(Object.entries(object).filter(([own]) => own !== name)),
  removeFieldsContaining(object: object, text: unknown) {
    if (typeof text !== 'string' || text === '') return fail('removeFieldsContaining(): expected non-empty string arg')
    const has = (value: unknown) => typeof value === 'string' && value.includes(text)
    return Object.fromEntries(Object.entries(object).filter(([, value]) => !has(value)))
  },
  keepFieldsContaining(object: object, text: unknown) {
    if (typeof text !== 'string' || text === '')
      return fail('argument of keepFieldsContaining must be a non-empty string')
    const has = (value: unknown) => typeof value === 'string' && value.includes(text)
    return Object.fromEntries(Object.entries(object).filter(([, value]) => has(value)))
  },
  compact: compactObject,
  merge: mergeObjects,
  urlEncode: (object) => new URLSearchParams(object).toString(),
  keys: (object) => Object.keys(object),
  values: (object) => Object.values(object),
  toJsonString: (object) => JSON.stringify(object),
  ...{ toInt: nothing, toFloat: nothing, toBoolean: nothing, toDateTime: nothing },
}

const booleans: Methods = {
  toBoolean: (value) => value,
  toInt: Number,
  toFloat: Number,
  toNumber: Number,
  toDateTime: nothing,
}

function integer(name: string, value: number): number {
  return Number.isInteger(value) ? Math.abs(value) : fail(`${name}() is only callable on integers`)
}

/** A time as a number in one of these units. */
function dateFromNumber(value: number, unit: unknown = 'ms'): LuxonDateTime {
  // Spreadsheets count days since 1900, which they take for a leap year.
  if (unit === 'excel') return DateTime.fromSeconds((value - 25_569) * 86_400)
  if (unit === 's') return DateTime.fromSeconds(value)
  if (unit === 'us') return DateTime.fromMillis(value / 1_000)
  if (unit === 'ms') return DateTime.fromMillis(value)
  return fail(`Unsupported format '${unit}'. toDateTime() supports 'ms', 's', 'us' and 'excel'.`)
}

const numbers: Methods = {
  ceil: Math.ceil,
  floor: Math.floor,
  abs: Math.abs,
  round: (value, places = 0) => Number(value.toFixed(places)),
  format: (value, locales = 'en-US', options = {}) => new Intl.NumberFormat(locales, options).format(value),
  isInteger: (value) => Number.isInteger(value),
  isEven: (value) => integer('isEven', value) % 2 === 0,
  isOdd: (value) => integer('isOdd', value) % 2 === 1,
  toBoolean: (value) => value !== 0,
  toInt: (value) => Number(value.toFixed(0)),
  toFloat: (value) => value,
  toNumber: (value) => value,
  toDateTime: dateFromNumber,
}

/** Signs and short names of currencies. */
const currency = /\p{Sc}|\b(?:CHF|kr|RM|Rp|Ft|zł|Kč|лв)\b/gu
const parsedNumber = (value: number, kind: string): number =>
  Number.isNaN(value) ? fail(`cannot convert to ${kind}`) : value
const toInt = (text: string, radix?: number) =>
  parsedNumber(Number.parseInt(text.replace(currency, ''), radix), 'integer')

function toFloat(text: string): number {
  if (text.includes(',')) fail('cannot convert to float, expected . as decimal separator')
  return parsedNumber(Number.parseFloat(text.replace(currency, '')), 'float')
}

const name = String.raw`(?:[-\w]+\.)+(?:[a-zA-Z]{2,}|xn--[a-zA-Z0-9]+)|localhost|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`
const domainPattern = new RegExp(`^(?:www\\.)?(${name})(?::\\d+)?(?:/[^\\s?]*)?(?:\\?[^\\s#]*)?(?:#\\S*)?$`, 'i')
const addressPattern = new RegExp(
  `^(?:(?:https?|ftp)://)?(?:mailto:)?(?://)?((?:www\\.)?(?:${name}))(?::\\d+)?(?:/[^\\s?]*)?(?:\\?[^\\s#]*)?(?:#\\S*)?$`,
  'i',
)
const urlText = `(?:https?|ftp)://(?:www\\.)?(?:${name})(?::\\d+)?(?:/[^\\s?#]*)?(?:\\?[^\\s#]*)?#?\\S*`
const urlPattern = new RegExp(`^${urlText}$`, 'i')
const urlWithin = new RegExp(urlText, 'i')
const emailPattern =
  /(?:(?<![^<>()[\]\\.,;:\s@"]\.?)[^<>()[\]\\.,;:\s@"]+(?:\.[^<>()[\]\\.,;:\s@"]+)*|"[^"\r\n]+")@(?<domain>\[\d{1,3}(?:\.\d{1,3}){3}\]|(?:[a-zA-Z\-0-9]+\.)+[a-zA-Z]{2,})/

const isEmail = (text: string) => emailPattern.test(text) && !text.includes(' ')

function sentenceCase(text: string): string {
  return text
    .toLowerCase()
    .replace(/(^|[!?.])([^\p{L}!?.]*)(\p{L})/gu, (_, end, between, letter) => `${end}${between}${letter.toUpperCase()}`)
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return fail(text.includes("'") ? "Parsing failed. Check you're using double quotes" : 'Parsing failed')
  }
}

function hashed(text: string, algorithm = 'md5'): string {
  if (algorithm.toLowerCase() === 'base64') return Buffer.from(text).toString('base64')
  const hash = digest(algorithm, text)
  if (!hash) return fail(`Unknown algorithm ${algorithm}. Available algorithms are: ${algorithms}, and Base64.`)
  return Buffer.from(hash).toString('hex')
}

function dateFromText(text: string, format?: string): LuxonDateTime {
  if (['ms', 's', 'us', 'excel'].includes(format ?? '')) return dateFromNumber(Number(text), format)
  if (format) return DateTime.fromFormat(text, format)
  return parsedDate(text) ?? fail('cannot convert to Luxon DateTime')
}

const strings: Methods = {
  hash: hashed,
  removeMarkdown: withoutMarkdown,
  removeTags: (text) => text.replace(/<[^>]*>?/gm, ''),
  toDate(text: string) {
    const date = new Date(Date.parse(text))
    if (Number.isNaN(date.getTime())) fail('cannot convert to date')
    if (!text.includes(':')) date.setHours(0, 0, 0)
    return date
  },
  toDateTime: dateFromText,
  toBoolean: (text) => text.length > 0 && !['false', 'no', '0'].includes(text.toLowerCase()),
  toNumber: (text) => parsedNumber(Number(text.replace(currency, '')), 'number'),
  ...{ toInt, toWholeNumber: toInt, toFloat, toDecimalNumber: toFloat },
  toSentenceCase: sentenceCase,
  toSnakeCase: (text) =>
    text
      .toLowerCase()
      .replace(/[ -]/g, '_')
      .replace(/[\u2000-\u206F\u2E00-\u2E7F\\'!"#$%&()*+,./:;<=>?@[\]^`{|}~]/g, ''),
  toTitleCase: titleCase,
  urlDecode: (text, whole = false) => (whole ? decodeURI(text) : decodeURIComponent(text)),
  urlEncode: (text, whole = false) => (whole ? encodeURI(text) : encodeURIComponent(text)),
  quote: (text, mark = '"') => `${mark}${text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)}${mark}`,
  replaceSpecialChars: ascii,
  length: (text) => text.length,
  isDomain: (text) => domainPattern.test(text),
  isEmail,
  isNumeric: (text) => !text.includes(' ') && !Number.isNaN(Number(text)) && !Number.isNaN(Number.parseFloat(text)),
  isUrl: (text) => urlPattern.test(text),
  isEmpty: (text) => text === '',
  isNotEmpty: (text) => text !== '',
  toJsonString: (text) => JSON.stringify(text),
  extractEmail: (text) => emailPattern.exec(text)?.[0],
  extractDomain: (text) => (isEmail(text) ? emailPattern.exec(text)?.groups?.domain : addressPattern.exec(text)?.[1]),
  extractUrl: (text) => urlWithin.exec(text)?.[0],
  extractUrlPath: (text) => URL.parse(text)?.pathname,
  parseJson: parsedJson,
  base64Encode: (text) => Buffer.from(text).toString('base64'),
  base64Decode: (text) => Buffer.from(text, 'base64').toString(),
}

/** What a date method returns is of the kind of its value: a `Date`, or a `DateTime`. */
function changed(value: Date | LuxonDateTime, change: (date: LuxonDateTime) => LuxonDateTime) {
  return DateTime.isDateTime(value) ? change(value) : change(DateTime.fromJSDate(value)).toJSDate()
}

const luxon = (value: Date | LuxonDateTime): LuxonDateTime =>
  DateTime.isDateTime(value) ? value : DateTime.fromJSDate(value)

const durationOf = (amount: unknown, unit?: unknown): object =>
  unit === undefined && typeof amount === 'object' && amount !== null
    ? amount
    : { [unitsOf(unit ?? (typeof amount === 'number' ? 'milliseconds' : 'minutes'))]: amount ?? 0 }

function difference(date: Date | LuxonDateTime, other: unknown, unit: unknown = 'days'): unknown {
  const units = [unit].flat()
  if (units.length === 0) units.push('days')
  const known = units.map((one) => unitsOf(one))
  const diff = luxon(date).diff(normalDate(other) ?? fail('diffTo(): expected a date'), known as 'days'[])
  return known.length > 1 ? diff.toObject() : diff.as(known[0] as 'days')
}

const dates: Methods = {
  beginningOf: (date, unit = 'week') => changed(date, (own) => own.startOf(unitOf(unit))),
  endOfMonth: (date) => changed(date, (own) => own.endOf('month')),
  extract(date, part = 'week') {
    if (part === 'yearDayNumber') return luxon(date).ordinal
    return luxon(date).get(part === 'week' ? 'weekNumber' : (unitOf(part) as 'day'))
  },
  format: (date, format, options = {}) => luxon(date).toFormat(format, options),
  isBetween(date, ...bounds: unknown[]) {
    if (bounds.length !== 2) fail('isBetween(): expected exactly two args')
    const [first, second] = bounds.map(normalDate)
    if (!first || !second) return undefined
    const [from, to] = first > second ? [second, first] : [first, second]
    return from < date && date < to
  },
  isDst: (date) => luxon(date).isInDST,
  isInLast(date, amount = 0, unit = 'minutes') {
    const now = DateTime.now()
    return now.minus(durationOf(amount, unit)) <= luxon(date) && luxon(date) <= now
  },
  isWeekend: (date) => luxon(date).weekday > 5,
  plus: (date, amount, unit) => changed(date, (own) => own.plus(durationOf(amount, unit))),
  minus: (date, amount, unit) => changed(date, (own) => own.minus(durationOf(amount, unit))),
  diffTo: difference,
  diffToNow: (date, unit) => difference(date, DateTime.now(), unit),
  toDateTime: luxon,
  toInt: (date) => Number(date),
  toFloat: (date) => Number(date),
  toBoolean: nothing,
  isEmpty: () => false,
  isNotEmpty: () => true,
}

const generic: Methods = { isEmpty: (value) => !value, isNotEmpty: (value) => Boolean(value) }

const byType = {
  Array: arrays,
  Date: dates,
  Number: numbers,
  Object: objects,
  String: strings,
  Boolean: booleans,
}

/** The names of all of these methods. */
export const extensionNames = [...new Set(Object.values(byType).flatMap((methods) => Object.keys(methods)))].sort()

const isIsoDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text))

const isDate = (value: unknown): boolean => value instanceof Date || (isObject(value) && 'isLuxonDateTime' in value)

function methodsOf(value: unknown, method: string): { own: unknown; methods: Methods } {
  if (Array.isArray(value)) return { own: value, methods: arrays }
  if (typeof value === 'string') {
    // Dates are texts in JSON.
    const asDate = method !== 'toDate' && method !== 'toDateTime' && isIsoDate(value)
    return asDate ? { own: new Date(value), methods: dates } : { own: value, methods: strings }
  }
  if (typeof value === 'number') return { own: value, methods: numbers }
  if (typeof value === 'boolean') return { own: value, methods: booleans }
  if (isDate(value)) return { own: value, methods: dates }
  return { own: value, methods: isObject(value) ? objects : {} }
}

function findMethod(value: unknown, method: string): ((...values: unknown[]) => unknown) | undefined {
  const { own, methods } = methodsOf(value, method)
  const extension = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (extension) return (...values) => extension(own, ...values)
  const builtin = own === undefined || own === null ? undefined : (own as Record<string, unknown>)[method]
  if (typeof builtin === 'function') return (...values) => builtin.apply(own, values)
  const common = generic[method]
  return common && ((...values) => common(own, ...values))
}

/** Calls a method of a value. */
export function extend(value: unknown, method: string, values: unknown[]): unknown {
  const call = findMethod(value, method)
  if (call) return call(...values)
  if (value === undefined || value === null) return fail(`${method} can't be used on ${value} value`)
  const types = Object.entries(byType).filter(([, methods]) => Object.hasOwn(methods, method))
  return fail(`${method}() is only callable on types ${types.map(([type]) => `"${type}"`).join(', ')}`)
}

/** The same after `?.`: nothing if there is no value, or no such method. */
export function extendOptional(value: unknown, method: string, values: () => unknown[]): unknown {
  if ((value === undefined || value === null) && !Object.hasOwn(generic, method)) return undefined
  return findMethod(value, method)?.(...values())
}
