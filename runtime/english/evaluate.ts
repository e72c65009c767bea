import { sumOf } from '../numbers.ts'
/** The expression has no value, for the reason in the message. */
export class CalculationError extends Error {
  override name = 'CalculationError'
}

/** `percent` stays known until it is used: 80 + 10% adds ten percent of 80. */
interface Value {
  amount: number
  percent?: boolean
}

const CONSTANTS = new Map([
  ['pi', Math.PI],
  ['π', Math.PI],
  ['e', Math.E],
  ['tau', 2 * Math.PI],
])

const sum = (...values: number[]) => sumOf(values)
const FUNCTIONS = new Map<string, (...values: number[]) => number>([
  ...(['sqrt', 'cbrt', 'abs', 'round', 'floor', 'ceil', 'exp', 'sin', 'cos', 'tan', 'min', 'max'] as const).map(
    (name): [string, (...values: number[]) => number] => [name, Math[name]],
  ),
  ['ln', Math.log],
  ['log', Math.log10],
  ['sum', sum],
  ['avg', (...values) => sum(...values) / values.length],
])

/** How tightly binary signs bind. */
const LEVELS = new Map(Object.entries({ '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, of: 2, mod: 2 }))

/** In characters. */
export const MAX_LENGTH = 500
const MAX_DEPTH = 100
const TOKEN = / *(?:((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-zπ]+)|(\*\*|[-+*/^%!(),]))/iy

/**
 * Computes an arithmetic expression: `+ - * / ^`, `%` (percent, or remainder between two numbers), parentheses, `!`,
 * named functions and constants. Nothing is ever passed to the language's own evaluator. Returns null when the text
 * is not an expression or only a number; throws `CalculationError` when it has no value.
 */
export function evaluate(text: string): number | null {
  const tokens = text.length > MAX_LENGTH ? [] : tokenize(text)
  if (tokens.length < 2 || !tokens.some((token) => isNumber(token) || CONSTANTS.has(token))) return null
  const value = new Parser(tokens).whole()
  if (Number.isNaN(value)) throw new CalculationError('it has no real value')
  if (value !== null && !Number.isFinite(value))
    throw new CalculationError('it is too large for me, or divides by zero')
  return value
}

const isNumber = (token: string | undefined): boolean => /^[\d.]/.test(token ?? '')
const isName = (token: string): boolean => /^[a-zπ]/.test(token)

/** Empty when something in the text belongs to no expression. */
function tokenize(text: string): string[] {
  const tokens: string[] = []
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.trimEnd().length; ) {
    const [, number, name = '', symbol] = TOKEN.exec(text) ?? []
    const token = number?.replaceAll(',', '') ?? symbol?.replace('**', '^') ?? name.toLowerCase()
    const isToken = number || symbol || CONSTANTS.has(token) || FUNCTIONS.has(token) || /^(?:of|mod)$/.test(token)
    if (!isToken) return []
    tokens.push(token)
  }
  return tokens
}

/** Thrown inside the parser when the tokens are not an expression. */
class Unreadable extends Error {}

class Parser {
  private readonly tokens: readonly string[]
  private position = 0
  private depth = 0

  constructor(tokens: readonly string[]) {
    this.tokens = tokens
  }

  whole(): number | null {
    try {
      const { amount } = this.binary()
      return this.position === this.tokens.length ? amount : null
    } catch (error) {
      if (error instanceof Unreadable) return null
      throw error
    }
  }

  private binary(level = 1): Value {
    let left = this.signed()
    for (;;) {
      const token = this.tokens[this.position] ?? ''
      const sign = LEVELS.has(token) ? token : this.startsOperand() ? '*' : ''
      if ((LEVELS.get(sign) ?? 0) < level) return left
      this.take(sign)
      left = combine(sign, left, this.binary((LEVELS.get(sign) ?? 0) + 1))
    }
  }

  private signed(): Value {
    if (++this.depth > MAX_DEPTH) throw new CalculationError('it is nested too deeply')
    const sign = this.take('+', '-')
    const value = sign ? this.signed() : this.power()
    this.depth--
    return sign === '-' ? { ...value, amount: -value.amount } : value
  }

  private power(): Value {
    let base = this.operand()
    for (;;) {
      if (this.tokens[this.position] === '%' && !this.startsOperand(1)) {
        this.position++
        base = { amount: base.amount / 100, percent: true }
      } else if (this.take('!')) base = { amount: factorial(base.amount) }
      else return this.take('^') ? { amount: base.amount ** this.signed().amount } : base
    }
  }

  private operand(): Value {
    const token = this.tokens[this.position++] ?? ''
    const constant = isNumber(token) ? Number(token) : CONSTANTS.get(token)
    if (constant !== undefined) return { amount: constant }
    const [value = 0, ...more] = token === '(' ? this.list() : []
    if (token === '(' && more.length === 0) return { amount: value }
    const apply = FUNCTIONS.get(token)
    if (!apply) throw new Unreadable()
    this.take('of')
    return { amount: apply(...(this.take('(') ? this.list() : [this.signed().amount])) }
  }

  /** The values up to the closing parenthesis. */
  private list(): number[] {
    const values = [this.binary().amount]
    while (this.take(',')) values.push(this.binary().amount)
    if (!this.take(')')) throw new Unreadable()
    return values
  }

  private take(...tokens: string[]): string | undefined {
    const token = this.tokens[this.position]
    if (token === undefined || !tokens.includes(token)) return undefined
    this.position++
    return token
  }

  /** A parenthesis or a name may follow without a sign, as in 2(3 + 4) and 2 pi; a number too, after the `%` of 10 % 3. */
  private startsOperand(ahead = 0): boolean {
    const token = this.tokens[this.position + ahead] ?? ''
    if (isNumber(token)) return ahead > 0
    return token === '(' || (isName(token) && token !== 'of' && token !== 'mod')
  }
}

function combine(sign: string, left: Value, right: Value): Value {
  if (sign === '+' || sign === '-') {
    const share = right.percent && !left.percent
    const step = share ? left.amount * right.amount : right.amount
    return { amount: left.amount + (sign === '+' ? step : -step), percent: !share && !!right.percent }
  }
  if (sign === '/' && right.amount === 0) throw new CalculationError('dividing by zero has no value')
  if (sign === '/') return { amount: left.amount / right.amount }
  const rest = sign === '%' || sign === 'mod'
  return { amount: rest ? left.amount % right.amount : left.amount * right.amount }
}

function factorial(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 170) throw new CalculationError('I take factorials of 0 to 170')
  let product = 1
  for (let factor = 2; factor <= value; factor++) product *= factor
  return product
}
