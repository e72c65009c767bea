import { CalculationError } from './evaluate.ts'
import { formatNumber } from './format.ts'
import { findUnit, type Unit } from './units.ts'
import { spellOut } from './words.ts'

export interface Quantity {
  amount: number
  unit: Unit
}

const NUMBER = '[-+]?(?:\\d{1,3}(?:,\\d{3})+|\\d+)?(?:\\.\\d+)?(?:e[+-]?\\d+)?'
const QUANTITY = new RegExp(
  `(${NUMBER})\\s*([a-zµ°²³/][a-zµ°²³23/_ -]*?)(?=\\s*(?:,|and\\b|[-+]?[\\d.]|$))`,
  'gi',
)
const HOW_MANY = /^how (?:many|much) (.+?) (?:are |is )?(?:there )?(?:in|equals?|make(?: up)?|is|are) (.+)$/i

/** "5 ft 10 in to cm", "how many ounces in 2 kg". Null when it is no conversion; throws when units do not fit. */
export function convert(text: string): { read: string; value: string } | null {
  for (const [from, to] of readings(text)) {
    const target = findUnit(to)
    const parts = target && readQuantities(spellOut(from))
    if (parts)
      return { read: parts.map((part) => written(part)).join(' '), value: written(total(parts, target), 8) }
  }
  return null
}

/** Every way to cut the text in "from" and "to": "5 in in cm" has two. */
function* readings(text: string): Generator<[string, string]> {
  const asked = HOW_MANY.exec(text)
  if (asked) yield [asked[2] ?? '', asked[1] ?? '']
  const stated = text.replace(/^(?:convert|change|turn) /i, '')
  for (const cut of stated.matchAll(/(?<= )(?:to|into|in|as)(?= )/gi)) {
    yield [stated.slice(0, cut.index).trim(), stated.slice(cut.index + cut[0].length).trim()]
  }
}

function readQuantities(text: string): Quantity[] | null {
  const single = findUnit(text.replace(/^(?:an?|one) /i, ''))
  if (single) return [{ amount: 1, unit: single }]
  const quantities: Quantity[] = []
  let length = 0
  for (const [whole, number = '', name = ''] of text.matchAll(QUANTITY)) {
    const unit = findUnit(name)
    if (!unit || !/\d/.test(number)) return null
    quantities.push({ amount: Number(number.replaceAll(',', '')), unit })
    length += whole.length
  }
  const rest = text.replace(/\band\b|[\s,]/g, '').length
  return quantities.length > 0 && length >= rest ? quantities : null
}

function total(parts: readonly Quantity[], target: Unit): Quantity {
  let base = 0
  for (const { amount, unit } of parts) {
    if (unit.dimension !== target.dimension) {
      throw new CalculationError(
        `${unit.symbol} measures ${unit.dimension} and ${target.symbol} ${target.dimension}`,
      )
    }
    base += (amount + unit.offset) * unit.factor
  }
  return { amount: base / target.factor - target.offset, unit: target }
}

function written({ amount, unit }: Quantity, digits = 12): string {
  // Affine temperatures leave residue in the last bits: 100 °C would read 211.99999999999997 °F.
  const clean = unit.dimension === 'temperature' ? Math.round(amount * 1e4) / 1e4 : amount
  const many = clean !== 1 && /^(?:day|week|month|year|cup|acre|light-second)$/.test(unit.symbol)
  return `${formatNumber(clean, digits)} ${unit.symbol}${many ? 's' : ''}`
}
