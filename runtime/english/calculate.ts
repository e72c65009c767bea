import { CalculationError, evaluate, MAX_LENGTH } from './evaluate.ts'

export type Calculation =
  | { ok: true; read: string; value: string }
  | { ok: false; read: string; reason: string }
type Result = { read: string; value: string } | null

const QUESTION =
  /^(?:what(?:'s| is| are| does)?|calculate|compute|evaluate|work out|solve|how much(?: is| are)?|find|tell me|give me|=) (?:the (?:result|value|answer) of )?/i

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
  const asked = /^what (?:percent|percentage|%) of (.+?) is (.+)$/i.exec(text)
  const [before = '', after = ''] = text.split(/ (?:is what|as(?: a)?) (?:percent|percentage|%) of /i)
  const whole = asked?.[1] ?? after
  const part = asked?.[2] ?? /(?<![^a-z])[^a-z]+$/i.exec(before)?.[0] ?? ''
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

const SMALL =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen`.split(/\s+/)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES: Record<string, number> = { thousand: 1e3, million: 1e6, billion: 1e9 }
const NUMBER_WORD = `(?:${[...SMALL, ...TENS, 'hundred', ...Object.keys(SCALES)].join('|')})`
const NUMBER_PHRASE = new RegExp(`\\b${NUMBER_WORD}(?:(?: and |-| )${NUMBER_WORD})*\\b`, 'gi')

const PHRASES: readonly [RegExp, string][] = [
  [/\b(?:the )?(?:square root|root) of\b|√/g, 'sqrt '],
  [/\b(?:the )?cube root of\b/g, 'cbrt '],
  [/\b(?:the )?absolute value of\b/g, 'abs '],
  [/\b(?:the )?(average|mean|sum|total|maximum|minimum|max|min) of (?:the )?(.+)$/g, '$1($2)'],
  [/\b(?:average|mean)\(/g, 'avg('],
  [/\btotal\(/g, 'sum('],
  [/\b(max|min)imum\(/g, '$1('],
  [/\bincrease (.{1,100}?) by (.{1,100}?%)$/g, '$1 + $2'],
  [/\b(?:decrease|reduce|discount) (.{1,100}?) by (.{1,100}?%)$/g, '$1 - $2'],
  [/^(?:a )?([\d.]+%) off (?:of )?(.+)$/g, '$2 - $1'],
  [/^(?:an? |the )?([\d.]+%) (?:tip|tax|discount) (?:on|of|for) (.+)$/g, '$1 of $2'],
  [/^(?:an? |the )?(?:tip|tax|discount) (?:of )?([\d.]+%) (?:on|of|for) (.+)$/g, '$1 of $2'],
  [
    /,? (?:split|shared|divided)(?: evenly)?(?: between| among| by| in| into)? (\d+)(?: ways| people| persons| friends| parts)$/g,
    ' / $1',
  ],
  [/^subtract (.{1,100}?) from (.+)$/g, '$2 - $1'],
  [/^add (.{1,100}?) (?:and|to) (.+)$/g, '$1 + $2'],
  [/^(?:multiply (.{1,100}?) (?:by|and|with)) (.+)$/g, '$1 * $2'],
  [/^divide (.{1,100}?) by (.+)$/g, '$1 / $2'],
  [/\b(?:to the power of|raised to(?: the power of)?)\b/g, '^'],
  [/\bsquared\b|²/g, '^2'],
  [/\bcubed\b|³/g, '^3'],
  [/\b(?:multiplied by|times)\b|[×·]|(?<=[\d)]) ?x ?(?=[\d(.])/g, ' * '],
  [/\b(?:divided by|over)\b|[÷:]/g, '/'],
  [/\b(?:plus|added to)\b/g, '+'],
  [/\bminus\b|[−–]/g, '-'],
  [/\bmodulo\b/g, 'mod'],
  [/\bhalf of\b/g, '0.5 *'],
  [/\b(?:a )?third of\b/g, '(1/3) *'],
  [/\b(?:a )?quarter of\b/g, '0.25 *'],
  [/\b(?:double|twice)\b/g, '2 *'],
]

/** "twelve times 15 percent of two hundred" becomes "12 * 15% of 200". */
function toSymbols(text: string): string {
  const plain = spellOut(text.toLowerCase())
    .replace(/ ?\b(?:percent|per cent)\b/g, '%')
    .replace(/[$€£¥](?= ?\d)|(?<=\d) ?(?:[$€£¥]|(?:dollars?|bucks|euros?|usd|eur|gbp)\b)/g, '')
  return PHRASES.reduce((rest, [pattern, symbol]) => rest.replace(pattern, symbol), plain).replace(
    /(avg|sum|max|min)\(([^()]*)\)/g,
    (_, name, list: string) =>
      `${name}(${list.replace(/ ?(?:, ?and|and|&) ?/g, ', ').replace(/(?<=\d) (?=\d)/g, ', ')})`,
  )
}

/** Number words as digits: "two hundred and five" becomes "205". */
const spellOut = (text: string): string =>
  text.replace(NUMBER_PHRASE, (phrase) => String(spelledNumber(phrase)))

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
