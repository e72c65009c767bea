import { convert } from './convert.ts'
import { CalculationError, evaluate } from './evaluate.ts'
import { formatNumber } from './format.ts'
import { toSymbols } from './words.ts'

export type Calculation =
  | { ok: true; read: string; value: string }
  | { ok: false; read: string; reason: string }

const QUESTION =
  /^(?:what(?:'s| is| are| does)?|calculate|compute|evaluate|work out|solve|how much(?: is| are)?|find|convert|tell me|give me|=)\s+(?:the (?:result|value|answer) of\s+)?/i

/** Computes an expression, a percentage or a unit conversion. Null when the text is none of them. */
export function calculate(request: string): Calculation | null {
  const text = request.trim().replace(/\s*(?:[=?.]+|(?<![\d)])!)$/, '')
  const short = text.replace(QUESTION, '')
  return (
    attempt(text, share) ??
    attempt(short, convert) ??
    attempt(text, convert) ??
    attempt(short, arithmetic) ??
    attempt(text, arithmetic)
  )
}

const SHARES: readonly RegExp[] = [
  /^what (?:percent|percentage|%) (?:of (?<whole>.+?) is (?<part>.+))$/i,
  /(?<part>[^a-z]+?) is what (?:percent|percentage|%) of (?<whole>.+)$/i,
  /(?<part>[^a-z]+?) as (?:a )?(?:percent|percentage|%) of (?<whole>.+)$/i,
]

/** "What percent of 80 is 20" */
function share(text: string): { read: string; value: string } | null {
  for (const shape of SHARES) {
    const { part = '', whole = '' } = shape.exec(text)?.groups ?? {}
    const value = part && evaluate(`100 * (${toSymbols(part)}) / (${toSymbols(whole)})`)
    if (typeof value === 'number')
      return { read: `${part.trim()} of ${whole.trim()}`, value: `${formatNumber(value, 8)}%` }
  }
  return null
}

function arithmetic(text: string): { read: string; value: string } | null {
  const symbols = toSymbols(text).trim()
  const value = evaluate(symbols)
  return value === null ? null : { read: spaced(symbols), value: formatNumber(value) }
}

function spaced(symbols: string): string {
  return symbols
    .replaceAll('**', '^')
    .replace(/(?<=[\d)%])\s*([-+*/])\s*/g, ' $1 ')
    .replace(/\s*\^\s*/g, '^')
    .replace(/\s+/g, ' ')
    .replace(/(sqrt|cbrt|abs) (?=\S)/g, '$1 ')
    .trim()
}

function attempt(
  text: string,
  compute: (text: string) => { read: string; value: string } | null,
): Calculation | null {
  try {
    const result = compute(text)
    return result && { ok: true, ...result }
  } catch (error) {
    if (error instanceof CalculationError) return { ok: false, read: text, reason: error.message }
    throw error
  }
}
