import { piecesOf, scriptExpression, scriptText } from '../script/template.ts'

/** Whether a parameter of n8n is a text with `{{ expressions }}`. */
export const isExpression = (value: unknown): value is `=${string}` =>
  typeof value === 'string' && value.startsWith('=')

/** Escapes `{{` and a leading `=`, so that the text contains no expression. */
export const plainText = (text: string): string => text.replaceAll('{{', '{{ "{{" }}').replace(/^=/, '{{ "=" }}')

const mapped = (value: unknown, change: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => mapped(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapped(one, change)]))
}

/** A parameter of n8n as a parameter here; its expressions stay in their language. */
export const translated = (raw: unknown): unknown =>
  mapped(raw, (text) =>
    !isExpression(text) ? plainText(text) : text.includes('{{') ? scriptText(text) : plainText(text.slice(1)),
  )

/** A parameter of n8n in code: a literal, or a function whose errors are no value, as those of its expressions are. */
export const codeOf = (raw: unknown): string =>
  isExpression(raw) ? (wholeOf(raw) ?? joined(raw, '$join')) : (JSON.stringify(raw) ?? 'undefined')

/** The function of a text that is one expression. */
function wholeOf(raw: string): string | undefined {
  const [before, code, after, ...more] = piecesOf(raw.slice(1))
  return code !== undefined && before === '' && after === '' && more.length === 0 ? lazy(code) : undefined
}

const joined = (raw: string, join: '$join' | '$joinJson'): string =>
  `${join}(${piecesOf(raw.slice(1))
    .map((piece, index) => (index % 2 === 1 ? lazy(piece) : JSON.stringify(piece)))
    .join(', ')})`

function lazy(code: string): string {
  const own = code.trim().replace(/(?<!;);+$/, '') || 'undefined'
  return `() => (${own}${own.includes('//') ? '\n' : ''})`
}

/**
 * A parameter with JSON as text: what it says, or an expression that reads it when it runs. `join` says how values become
 * part of the text. With the message of its error, it is read strictly.
 */
export function jsonOf(raw: unknown, join: '$join' | '$joinJson' = '$join', error?: string): unknown {
  if (typeof raw !== 'string') return translated(raw)
  const parse = (text: string) =>
    scriptExpression(`$parseJson(${text}${error === undefined ? '' : `, ${JSON.stringify(error)}`})`)
  if (isExpression(raw) && raw.includes('{{')) {
    const whole = join === '$join' ? wholeOf(raw) : undefined
    return parse(whole ?? joined(raw, join))
  }
  const text = raw.replace(/^=/, '')
  try {
    return mapped(JSON.parse(text), plainText)
  } catch {
    return parse(JSON.stringify(text))
  }
}

/** An expression that fails. */
export const failing = (message: string): string => scriptExpression(`$fail(${JSON.stringify(message)})`)

/** The names in a text, which commas separate, or in a list. */
export const commaSeparated = (names: unknown): string[] =>
  (Array.isArray(names) ? names : String(names ?? '').split(',')).flatMap((name) => String(name).trim() || [])

/** The members of a list of n8n, which has a name within the parameter, as in `{values: [ … ]}`. */
export function listOf(parameter: unknown): Record<string, unknown>[] {
  const [list = []] = Object.values((parameter ?? {}) as Record<string, unknown>).filter(Array.isArray)
  return list
}
