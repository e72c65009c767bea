export class CalculationError extends Error {
  override name = 'CalculationError'
}

interface Token {
  kind: 'number' | 'name' | 'symbol'
  text: string
}

/** `percent` stays known until it is used: 80 + 10% adds ten percent of 80. */
interface Value {
  amount: number
  percent: boolean
}

const CONSTANTS: Record<string, number> = { pi: Math.PI, π: Math.PI, e: Math.E, tau: 2 * Math.PI }

const FUNCTIONS: Record<string, (...values: number[]) => number> = {
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  ln: Math.log,
  log: Math.log10,
  exp: Math.exp,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  min: Math.min,
  max: Math.max,
  sum: (...values) => values.reduce((total, value) => total + value, 0),
  avg: (...values) => values.reduce((total, value) => total + value, 0) / values.length,
}

const MAX_DEPTH = 100

/**
 * Reads and computes an arithmetic expression: `+ - * / ^`, `%` (percent, or remainder between two numbers),
 * parentheses, `!`, named functions and constants. Nothing is ever handed to the language's own evaluator.
 * Returns null when the text is no expression or only a number; throws `CalculationError` when it has no value.
 */
export function evaluate(text: string): number | null {
  const tokens = tokenize(text)
  if (
    tokens === null ||
    tokens.length < 2 ||
    !tokens.some((token) => token.kind === 'number' || token.text in CONSTANTS)
  ) {
    return null
  }
  const parser = new Parser(tokens)
  const value = parser.whole()
  return value === null ? null : defined(value.amount)
}

function tokenize(text: string): Token[] | null {
  if (text.length > 500) return null
  const tokens: Token[] = []
  const pattern =
    /\s*(?:((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([a-zπ]+)|(\*\*|[-+*/^%!(),]))/iy
  while (pattern.lastIndex < text.trimEnd().length) {
    const found = pattern.exec(text)
    if (!found) return null
    const [, number, name, symbol] = found
    if (number) tokens.push({ kind: 'number', text: number.replaceAll(',', '') })
    else if (name) tokens.push({ kind: 'name', text: name.toLowerCase() })
    else tokens.push({ kind: 'symbol', text: symbol === '**' ? '^' : (symbol ?? '') })
  }
  return tokens.every((token) => token.kind !== 'name' || isKnown(token.text)) ? tokens : null
}

function isKnown(name: string): boolean {
  return Object.hasOwn(CONSTANTS, name) || Object.hasOwn(FUNCTIONS, name) || name === 'of' || name === 'mod'
}

function defined(amount: number): number {
  if (Number.isNaN(amount)) throw new CalculationError('it has no real value')
  if (!Number.isFinite(amount)) throw new CalculationError('it is too large for me, or divides by zero')
  return amount
}

/** Thrown inside the parser when the tokens are no expression. */
class Unreadable extends Error {}

class Parser {
  private readonly tokens: readonly Token[]
  private position = 0
  private depth = 0

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens
  }

  whole(): Value | null {
    try {
      const value = this.sum()
      return this.position === this.tokens.length ? value : null
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
      const step = right.percent && !left.percent ? left.amount * right.amount : right.amount
      left = {
        amount: sign === '+' ? left.amount + step : left.amount - step,
        percent: left.percent && right.percent,
      }
    }
    this.depth--
    return left
  }

  private product(): Value {
    let left = this.signed()
    for (;;) {
      const sign = this.take('*', '/', '%', 'of', 'mod') ?? (this.startsOperand() ? '*' : undefined)
      if (!sign) return left
      left = { amount: combine(sign, left.amount, this.signed().amount), percent: false }
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
    return this.take('^') ? { amount: base.amount ** this.signed().amount, percent: false } : base
  }

  private postfix(): Value {
    let value = this.operand()
    for (;;) {
      if (this.peek()?.text === '%' && !this.startsOperand(1)) {
        this.position++
        value = { amount: value.amount / 100, percent: true }
      } else if (this.take('!')) value = { amount: factorial(value.amount), percent: false }
      else return value
    }
  }

  private operand(): Value {
    const token = this.tokens[this.position++]
    if (token?.kind === 'number') return { amount: Number(token.text), percent: false }
    if (token?.text === '(') return this.closed(this.sum())
    const constant = token && Object.hasOwn(CONSTANTS, token.text) ? CONSTANTS[token.text] : undefined
    if (constant !== undefined) return { amount: constant, percent: false }
    const apply = token && Object.hasOwn(FUNCTIONS, token.text) ? FUNCTIONS[token.text] : undefined
    if (apply) return { amount: apply(...this.inputs()), percent: false }
    throw new Unreadable()
  }

  /** `sqrt(16)`, `max(1, 2)`, and without parentheses `sqrt 16` or `sqrt of 16`. */
  private inputs(): number[] {
    this.take('of')
    if (!this.take('(')) return [this.signed().amount]
    const values = [this.sum().amount]
    while (this.take(',')) values.push(this.sum().amount)
    this.closed({ amount: 0, percent: false })
    return values
  }

  private closed(value: Value): Value {
    if (!this.take(')')) throw new Unreadable()
    return { ...value, percent: false }
  }

  private peek(ahead = 0): Token | undefined {
    return this.tokens[this.position + ahead]
  }

  private take(...texts: string[]): string | undefined {
    const token = this.peek()
    if (!token || token.kind === 'number' || !texts.includes(token.text)) return undefined
    this.position++
    return token.text
  }

  /** A number, a parenthesis or a name may follow without a sign: 2(3 + 4), 2 pi, and 10 % 3. */
  private startsOperand(ahead = 0): boolean {
    const token = this.peek(ahead)
    if (!token) return false
    if (token.kind === 'number') return ahead > 0
    return token.text === '(' || (token.kind === 'name' && token.text !== 'of' && token.text !== 'mod')
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
  let product = 1
  for (let factor = 2; factor <= value; factor++) product *= factor
  return product
}
