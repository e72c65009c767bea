const SMALL =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen`.split(/\s+/)
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES: Record<string, number> = {
  hundred: 100,
  thousand: 1_000,
  million: 1_000_000,
  billion: 1_000_000_000,
}
const NUMBER_WORD = `(?:${[...SMALL, ...TENS, ...Object.keys(SCALES)].join('|')})`
const NUMBER_PHRASE = new RegExp(`\\b${NUMBER_WORD}(?:(?: and |-| )${NUMBER_WORD})*\\b`, 'gi')

const PHRASES: readonly [RegExp, string][] = [
  [/\b(?:the )?(?:square root|root) of\b/g, 'sqrt '],
  [/√/g, 'sqrt '],
  [/\b(?:the )?cube root of\b/g, 'cbrt '],
  [/\b(?:the )?(?:absolute value) of\b/g, 'abs '],
  [/\b(?:the )?(average|mean|sum|total|maximum|minimum|max|min) of (?:the )?(.+)$/g, '$1($2)'],
  [/\b(?:average|mean)\(/g, 'avg('],
  [/\btotal\(/g, 'sum('],
  [/\bmaximum\(/g, 'max('],
  [/\bminimum\(/g, 'min('],
  [/\bincrease (.+?) by (.+?%)$/g, '$1 + $2'],
  [/\b(?:decrease|reduce|discount) (.+?) by (.+?%)$/g, '$1 - $2'],
  [/^(?:a )?([\d.]+%) off (?:of )?(.+)$/g, '$2 - $1'],
  [/^(?:an? |the )?([\d.]+%) (?:tip|tax|discount) (?:on|of|for) (.+)$/g, '$1 of $2'],
  [/\b(?:to the power of|raised to(?: the power of)?)\b/g, '^'],
  [/\bsquared\b/g, '^2'],
  [/\bcubed\b/g, '^3'],
  [/\b(?:multiplied by|times)\b/g, '*'],
  [/(?<=[\d)])\s*[x×·]\s*(?=[\d(.])/g, ' * '],
  [/[×·]/g, '*'],
  [/\b(?:divided by|over)\b/g, '/'],
  [/[÷:]/g, '/'],
  [/\b(?:plus|added to)\b/g, '+'],
  [/\bminus\b/g, '-'],
  [/[−–]/g, '-'],
  [/\bmodulo\b/g, 'mod'],
  [/\bhalf of\b/g, '0.5 *'],
  [/\b(?:a )?(?:third) of\b/g, '(1/3) *'],
  [/\b(?:a )?(?:quarter) of\b/g, '0.25 *'],
  [/\bdouble\b/g, '2 *'],
  [/\b(?:twice)\b/g, '2 *'],
  [/²/g, '^2'],
  [/³/g, '^3'],
]

/** "twelve times 15 percent of two hundred" becomes "12 * 15% of 200". */
export function toSymbols(text: string): string {
  let symbols = spellOut(text.toLowerCase())
    .replace(/\s*\b(?:percent|per cent)\b/g, '%')
    .replace(/[$€£¥](?=\s*\d)/g, '')
  for (const [pattern, replacement] of PHRASES) symbols = symbols.replace(pattern, replacement)
  return symbols.replace(/(avg|sum|max|min)\(([^()]*)\)/g, (_, name, list: string) => {
    return `${name}(${list.replace(/\s*(?:,\s*and|and|&)\s*/g, ', ').replace(/(?<=\d)\s+(?=\d)/g, ', ')})`
  })
}

/** Number words as digits: "two hundred and five" becomes "205". */
export function spellOut(text: string): string {
  return text
    .replace(NUMBER_PHRASE, (phrase) => String(spelledNumber(phrase)))
    .replace(/\bhalf an? (?=\w)/gi, '0.5 ')
    .replace(/\ba quarter of an? (?=\w)/gi, '0.25 ')
}

function spelledNumber(phrase: string): number {
  let total = 0
  let group = 0
  for (const word of phrase.toLowerCase().split(/[\s-]+/)) {
    const scale = SCALES[word]
    if (scale === 100) group = Math.max(group, 1) * scale
    else if (scale) {
      total += Math.max(group, 1) * scale
      group = 0
    } else group += smallNumber(word)
  }
  return total + group
}

function smallNumber(word: string): number {
  const tens = TENS.indexOf(word)
  return tens >= 0 ? (tens + 2) * 10 : Math.max(SMALL.indexOf(word), 0)
}
