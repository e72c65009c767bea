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

const sum = (...values: number[]) => values.reduce((total, value) => total + value, 0)
const FUNCTIONS = new Map<string, (...values: number[]) => number>([
  ...(
    ['sqrt', 'cbrt', 'abs', 'round', 'floor', 'ceil', 'exp', 'sin', 'cos', 'tan', 'min', 'max'] as const
  ).map((name): [string, (...values: number[]) => number] => [name, Math[name]]),
  ['ln', Math.log],
  ['log', Math.log10],
  ['sum', sum],
  ['avg', (...values) => sum(...values) / values.length],
])

const MAX_LENGTH = 500
const MAX_DEPTH = 100
const TOKEN =
  /\s*(?:((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-zπ]+)|(\*\*|[-+*/^%!(),]))/iy

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
    const known =
      number || symbol || CONSTANTS.has(token) || FUNCTIONS.has(token) || /^(?:of|mod)$/.test(token)
    if (!known) return []
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
      const { amount } = this.sum()
      return this.position === this.tokens.length ? amount : null
    } catch (error) {
      if (error instanceof Unreadable) return null
      throw error
    }
  }

  private sum(): Value {
    if (++this.depth > MAX_DEPTH) throw new CalculationError('it is nested too deeply')
    let left = this.product()
    for (let sign = this.take('+', '-'); sign; sign = this.take('+', '-')) {
      const right = this.product()
      const share = right.percent && !left.percent
      const step = share ? left.amount * right.amount : right.amount
      left = { amount: left.amount + (sign === '+' ? step : -step), percent: !share && !!right.percent }
    }
    this.depth--
    return left
  }

  private product(): Value {
    let left = this.signed()
    for (;;) {
      const sign = this.take('*', '/', '%', 'of', 'mod') ?? (this.startsOperand() ? '*' : undefined)
      if (!sign) return left
      left = { amount: combine(sign, left.amount, this.signed().amount) }
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
    const base = this.postfix()
    return this.take('^') ? { amount: base.amount ** this.signed().amount } : base
  }

  private postfix(): Value {
    let value = this.operand()
    for (;;) {
      if (this.tokens[this.position] === '%' && !this.startsOperand(1)) {
        this.position++
        value = { amount: value.amount / 100, percent: true }
      } else if (this.take('!')) value = { amount: factorial(value.amount) }
      else return value
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
    const values = [this.sum().amount]
    while (this.take(',')) values.push(this.sum().amount)
    if (!this.take(')')) throw new Unreadable()
    return values
  }

  private take(...wanted: string[]): string | undefined {
    const token = this.tokens[this.position]
    if (token === undefined || !wanted.includes(token)) return undefined
    this.position++
    return token
  }

  /** A number, a parenthesis or a name may follow without a sign: 2(3 + 4), 2 pi, and 10 % 3. */
  private startsOperand(ahead = 0): boolean {
    const token = this.tokens[this.position + ahead] ?? ''
    if (isNumber(token)) return ahead > 0
    return token === '(' || (isName(token) && token !== 'of' && token !== 'mod')
  }
}

function combine(sign: string, left: number, right: number): number {
  if (sign === '/' && right === 0) throw new CalculationError('dividing by zero has no value')
  if (sign === '/') return left / right
  return sign === '%' || sign === 'mod' ? left % right : left * right
}

function factorial(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 170)
    throw new CalculationError('I take factorials of 0 to 170')
  return Array.from({ length: value }, (_, index) => index + 1).reduce(
    (product, factor) => product * factor,
    1,
  )
}
