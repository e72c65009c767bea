import data from './calculate.json' with { type: 'json' }
import { CalculationError, evaluate, MAX_LENGTH } from './evaluate.ts'
import words from './words.json' with { type: 'json' }

export type Calculation = { ok: true; read: string; value: string } | { ok: false; read: string; reason: string }
type Result = { read: string; value: string } | null

const QUESTION = new RegExp(data.question, 'i')

/** Computes an expression or a percentage, in signs or English words. Null if the text is neither. */
export function calculate(request: string): Calculation | null {
  if (request.length > MAX_LENGTH) return null
  const text = oneSpaced(request).replace(/ ?(?:[=?.]{1,9}|(?<![\d)])!)$/, '')
  const short = text.replace(QUESTION, '')
  try {
    const result = share(text) ?? arithmetic(short) ?? arithmetic(text)
    return result && { ok: true, ...result }
  } catch (error) {
    if (error instanceof CalculationError) return { ok: false, read: short, reason: error.message }
    throw error
  }
}

/** "a = b", with "≈" when digits were dropped. */
export const equation = ({ read, value }: { read: string; value: string }): string =>
  `${read} = ${value}`.replace('= ≈', '≈')

const oneSpaced = (text: string) => text.replace(/\s+/g, ' ').trim()

/** "What percent of 80 is 20", "20 as a percentage of 80" */
function share(text: string): Result {
  const match = /^what (?:percent|percentage|%) of (.+?) is (.+)$/i.exec(text)
  const [before = '', after = ''] = text.split(/ (?:is what|as(?: a)?) (?:percent|percentage|%) of /i)
  const whole = match?.[1] ?? after
  const part = match?.[2] ?? /(?<![^a-z])[^a-z]+$/i.exec(before)?.[0] ?? ''
  const value = part && whole && evaluate(`100 * (${toSymbols(part)}) / (${toSymbols(whole)})`)
  return typeof value === 'number'
    ? { read: `${part.trim()} of ${whole.trim()}`, value: `${formatNumber(value, 8)}%` }
    : null
}

function arithmetic(text: string): Result {
  const symbols = oneSpaced(toSymbols(text)).replaceAll('**', '^')
  const value = evaluate(symbols)
  const read = symbols.replace(/(?<=[\d)%]) ?([-+*/]) ?/g, ' $1 ').replace(/ ?\^ ?/g, '^')
  return value === null ? null : { read: oneSpaced(read), value: formatNumber(value) }
}

/** At most `digits` significant digits, thousands separated, "≈ " in front when digits were dropped. */
function formatNumber(value: number, digits = 12): string {
  const rounded = Number.isSafeInteger(value) ? value : Number(value.toPrecision(digits))
  // Doubles carry about 16 digits: a smaller difference is residue (0.1 + 0.2), not a dropped digit.
  const dropped = Math.abs(rounded - value) > Math.abs(value) * 1e-14 ? '≈ ' : ''
  const size = Math.abs(rounded)
  if (size >= 1e21 || (size < 1e-6 && size > 0))
    return dropped + rounded.toExponential().replace(/e\+?(-?\d+)/, ' × 10^$1')
  return dropped + rounded.toLocaleString('en-US', { maximumSignificantDigits: 21 })
}

const [SMALL, TENS] = [words.small.split(' '), words.tens.split(' ')]
const SCALES: Record<string, number> = { thousand: 1e3, million: 1e6, billion: 1e9 }
const NUMBER_WORD = `(?:${[...SMALL, ...TENS, 'hundred', ...Object.keys(SCALES)].join('|')})`
const NUMBER_PHRASE = new RegExp(`\\b${NUMBER_WORD}(?:(?: and |-| )${NUMBER_WORD})*\\b`, 'gi')

const SYMBOLS = Object.entries(data.symbols).map(([pattern, symbol]) => [new RegExp(pattern, 'g'), symbol] as const)

/** "twelve times 15 percent of two hundred" becomes "12 * 15% of 200". */
function toSymbols(text: string): string {
  const plain = spellOut(text.toLowerCase())
    .replace(/ ?\b(?:percent|per cent)\b/g, '%')
    .replace(/[$€£¥](?= ?\d)|(?<=\d) ?(?:[$€£¥]|(?:dollars?|bucks|euros?|usd|eur|gbp)\b)/g, '')
  return SYMBOLS.reduce((rest, [pattern, symbol]) => rest.replace(pattern, symbol), plain).replace(
    /(avg|sum|max|min)\(([^()]*)\)/g,
    (_, name, list: string) =>
      `${name}(${list.replace(/ ?(?:, ?and|and|&) ?/g, ', ').replace(/(?<=\d) (?=\d)/g, ', ')})`,
  )
}

/** Number words as digits: "two hundred and five" becomes "205". */
const spellOut = (text: string): string => text.replace(NUMBER_PHRASE, (phrase) => String(spelledNumber(phrase)))

function spelledNumber(phrase: string): number {
  let total = 0
  let group = 0
  for (const word of phrase.toLowerCase().split(/[\s-]+/)) {
    const scale = SCALES[word]
    if (scale) total += Math.max(group, 1) * scale
    if (scale) group = 0
    else if (word === 'hundred') group = Math.max(group, 1) * 100
    else group += TENS.includes(word) ? (TENS.indexOf(word) + 2) * 10 : Math.max(SMALL.indexOf(word), 0)
  }
  return total + group
}
