import { define, native } from './host.ts'

/** `Intl` by that of the host. Dates are sent as milliseconds. */

const plain = (value: unknown): unknown =>
  value instanceof Date ? value.getTime() : typeof value === 'bigint' ? Number(value) : value

function formatter(kind: string, methods: readonly string[]) {
  class Formatter {
    readonly locales: unknown
    readonly options: object
    constructor(locales?: unknown, options: object = {}) {
      this.locales = locales
      this.options = options
      // Options that are not known are refused here, as the host does.
      this.call('resolvedOptions', [])
    }
    call(method: string, values: readonly unknown[]): unknown {
      const { locales = null, options } = this
      return native('intl', kind, locales, withZone(kind, options), method, values.map(plain))
    }
    resolvedOptions(): unknown {
      return this.call('resolvedOptions', [])
    }
    static supportedLocalesOf(locales: unknown): unknown {
      return native('intl', kind, locales, {}, 'supportedLocalesOf', [])
    }
  }
  for (const method of methods)
    Object.defineProperty(Formatter.prototype, method, {
      // `format` is passed as a function: list.map(formatter.format).
      get(this: Formatter) {
        return (...values: unknown[]) => this.call(method, values)
      },
    })
  // They may be called without new.
  return new Proxy(Formatter, { apply: (Own, _, [locales, options]: [unknown, object]) => new Own(locales, options) })
}

/** The engine has no time zone of its own: its local time is UTC. */
const withZone = (kind: string, options: object): object =>
  kind === 'DateTimeFormat' && !('timeZone' in options && options.timeZone !== undefined)
    ? { ...options, timeZone: 'UTC' }
    : options

const hostIntl = {
  DateTimeFormat: formatter('DateTimeFormat', ['format', 'formatToParts', 'formatRange']),
  NumberFormat: formatter('NumberFormat', ['format', 'formatToParts']),
  RelativeTimeFormat: formatter('RelativeTimeFormat', ['format', 'formatToParts']),
  PluralRules: formatter('PluralRules', ['select']),
  Collator: formatter('Collator', ['compare']),
  ListFormat: formatter('ListFormat', ['format', 'formatToParts']),
  DisplayNames: formatter('DisplayNames', ['of']),
  getCanonicalLocales: (locales: unknown) => native('intl', 'getCanonicalLocales', locales),
  supportedValuesOf: (key: unknown) => native('intl', 'supportedValuesOf', key),
}

define('Intl', hostIntl)

const override = (owner: object, name: string, value: unknown) =>
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: false })

override(Number.prototype, 'toLocaleString', function (this: number, locales?: unknown, options?: object) {
  return new hostIntl.NumberFormat(locales, options).call('format', [Number(this)])
})
const day = { year: 'numeric', month: 'numeric', day: 'numeric' }
const time = { hour: 'numeric', minute: 'numeric', second: 'numeric' }
const has = (options: object, names: readonly string[]) => names.some((name) => name in options)
const dayNames = ['weekday', ...Object.keys(day), 'dateStyle']
const timeNames = ['dayPeriod', ...Object.keys(time), 'fractionalSecondDigits', 'timeStyle']

/** The date methods show a day, a time or both, unless the options name parts. */
const dateMethods = {
  toLocaleDateString: (options: object) => (has(options, dayNames) ? options : { ...day, ...options }),
  toLocaleTimeString: (options: object) => (has(options, timeNames) ? options : { ...time, ...options }),
  toLocaleString: (options: object) =>
    has(options, [...dayNames, ...timeNames]) ? options : { ...day, ...time, ...options },
}
for (const [name, complete] of Object.entries(dateMethods))
  override(Date.prototype, name, function (this: Date, locales?: unknown, options: object = {}) {
    return new hostIntl.DateTimeFormat(locales, complete(options)).call('format', [this])
  })
