type Evaluate = (expression: string) => Promise<unknown>

/** A text with expressions, in parts: expressions are those at odd positions. */
export function partsOf(text: string): string[] {
  const parts: string[] = []
  let at = 0
  for (;;) {
    const open = text.indexOf('{{', at)
    const close = open < 0 ? -1 : text.indexOf('}}', open)
    if (close < 0) return [...parts, text.slice(at)]
    // `{{ {"a": {}} }}`: the last of several braces closes.
    const end = text[close + 2] === '}' ? close + 1 : close
    parts.push(text.slice(at, open), text.slice(open + 2, end).trim())
    at = end + 2
  }
}

export const isExpression = (text: unknown): boolean =>
  typeof text === 'string' && (text.startsWith('=') || partsOf(text).length > 1)

/** The value of a text: an expression after `=`, else the text with its `{{ expressions }}` filled in. */
export async function resolveText(text: string, evaluate: Evaluate): Promise<unknown> {
  if (text.startsWith('=')) return evaluate(text.slice(1))
  if (!text.includes('{{')) return text
  const parts = partsOf(text)
  for (let index = 1; index < parts.length; index += 2) parts[index] = textOf(await evaluate(parts[index] ?? ''))
  return parts.join('')
}

export const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
