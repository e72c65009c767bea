import { LRUCache } from 'lru-cache'

/** Functions of the host that code in the engine may use: they compute, and have no input or output. */

type Formatter = Record<string, (...values: unknown[]) => unknown>

/** Formatters by what they were made from. Making one takes a hundred times as long as using it. */
const formatters = new LRUCache<string, Formatter>({ max: 200 })

const kinds = [
  'DateTimeFormat',
  'NumberFormat',
  'RelativeTimeFormat',
  'PluralRules',
  'Collator',
  'ListFormat',
  'DisplayNames',
] as const
type Kind = (typeof kinds)[number]

function formatterOf(kind: Kind, locales: unknown, options: unknown): Formatter {
  const key = JSON.stringify([kind, locales, options])
  let formatter = formatters.get(key)
  if (!formatter) {
    const Own = Intl[kind] as unknown as new (locales?: unknown, options?: unknown) => Formatter
    formatter = new Own(locales ?? undefined, options)
    formatters.set(key, formatter)
  }
  return formatter
}

const methods = ['format', 'formatToParts', 'formatRange', 'select', 'compare', 'of', 'resolvedOptions']

function intl(kind: unknown, locales: unknown, options?: unknown, method?: unknown, values: unknown[] = []) {
  if (kind === 'getCanonicalLocales') return Intl.getCanonicalLocales(locales as string)
  if (kind === 'supportedValuesOf') return Intl.supportedValuesOf(locales as 'currency')
  const name = kinds.find((one) => one === kind)
  if (!name) throw new TypeError(`Intl has no ${kind}`)
  if (method === 'supportedLocalesOf')
    return (Intl[name] as typeof Intl.NumberFormat).supportedLocalesOf(locales as string)
  if (!methods.includes(method as string)) throw new TypeError(`${kind} has no ${method}`)
  return formatterOf(name, locales, options)[method as string]?.(...values)
}

const maxRandom = 65_536

const random = (count: unknown): number[] =>
  Array.from(crypto.getRandomValues(new Uint8Array(Math.min(maxRandom, Number(count)))))

export type Natives = Readonly<Record<string, (...values: never[]) => unknown>>

const natives: Natives = { intl, random }

/** Calls a function of the host, or one that only this host has: arguments and result as JSON, an error as `{error}`. */
export function callNative(name: string, json: string, own: Natives = {}): string {
  try {
    const all = { ...natives, ...own }
    const native = Object.hasOwn(all, name) ? all[name] : undefined
    if (!native) throw new TypeError(`There is no ${name}`)
    const value = native(...(JSON.parse(json) as never[]))
    return JSON.stringify({ value })
  } catch (thrown) {
    const { name: kind, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
    return JSON.stringify({ error: message, kind })
  }
}
