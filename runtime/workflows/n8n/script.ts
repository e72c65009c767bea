import { ownValue } from '../../own-value.ts'

/**
 * Translates JavaScript expressions of n8n to JSONata, where the meaning is exactly the same. Everything else throws
 * `NotExact`, with what cannot be translated.
 */
export class NotExact extends Error {
  override name = 'NotExact'
}

/** A node that expressions can name. */
export interface Named {
  id: string
  /**
   * `several`: it may return a list, of which a loop gets one item at a time. `loop`: the loop, which has one current item.
   * `loops`: its current item is not the only one, or not the one of the only loop.
   */
  items?: 'several' | 'loop' | 'loops' | undefined
}

/** The nodes by their names. */
export type NodeIds = ReadonlyMap<string, Named>

/** Part of the error of an expression that names a node with several items. */
export const severalItems = 'has several items, and which of them belongs to the current one is not known'

/** A `comparison` is a boolean, or missing where a field that it compares is. */
type Kind = 'boolean' | 'comparison' | 'string' | 'number' | 'list' | 'object' | 'any'

interface Part {
  text: string
  kind: Kind
}

const token =
  /\s*(?:(\d+(?:\.\d+)?)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([A-Za-z_$][\w$]*)|(===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|[-+*/%<>!?:.,()[\]{}]))/y

function tokens(text: string): string[] {
  const found: string[] = []
  token.lastIndex = 0
  while (text.slice(token.lastIndex).trim() !== '') {
    const at = token.lastIndex
    const match = token.exec(text)
    if (!match) throw new NotExact(`${text.slice(at, at + 30).trim()} has no equivalent`)
    found.push(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')
  }
  return found
}

const plainName = /^[A-Za-z_]\w*$/
const words = new Set(['and', 'or', 'in', 'function', 'true', 'false', 'null'])

/** A field name as JSONata writes it. */
function fieldName(name: string): string {
  if (name.includes('`')) throw new NotExact('a name with a backtick has no equivalent')
  return plainName.test(name) && !words.has(name) ? name : `\`${name}\``
}

/** Binding powers of binary operators. */
const powers: Readonly<Record<string, number>> = {
  '??': 1,
  '||': 2,
  '&&': 3,
  '===': 4,
  '!==': 4,
  '==': 4,
  '!=': 4,
  '<': 5,
  '>': 5,
  '<=': 5,
  '>=': 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
}

class Parser {
  readonly #tokens: string[]
  readonly #ids: NodeIds
  #at = 0

  constructor(text: string, ids: NodeIds) {
    this.#tokens = tokens(text)
    this.#ids = ids
  }

  all(): Part {
    const part = this.#ternary()
    if (this.#at < this.#tokens.length) throw new NotExact(`${this.#tokens[this.#at]} has no equivalent`)
    return part
  }

  /** The argument of `JSON.stringify`, if the expression is such a call and nothing else. */
  stringified(): string | null {
    if (!this.#skips('JSON', '.', 'stringify', '(')) return null
    const { text } = this.#ternary()
    if (this.#skips(',', 'null', ',')) this.#take()
    return this.#skips(')') && this.#next() === undefined ? text : null
  }

  #next(): string | undefined {
    return this.#tokens[this.#at]
  }

  #take(expected?: string): string {
    const found = this.#tokens[this.#at]
    if (found === undefined || (expected !== undefined && found !== expected))
      throw new NotExact(`${found ?? 'the end'} has no equivalent`)
    this.#at += 1
    return found
  }

  #ternary(): Part {
    const condition = this.#binary(0)
    if (this.#next() !== '?') return condition
    this.#take('?')
    const yes = this.#ternary()
    this.#take(':')
    const no = this.#ternary()
    return {
      text: `(${truth(condition)} ? ${yes.text} : ${no.text})`,
      kind: yes.kind === no.kind ? yes.kind : 'any',
    }
  }

  #binary(power: number): Part {
    let left = this.#unary()
    for (;;) {
      const operator = this.#next() ?? ''
      const own = ownValue(powers, operator)
      if (own === undefined || own <= power) return left
      this.#take()
      left = combined(operator, left, this.#binary(own))
    }
  }

  #unary(): Part {
    if (this.#next() === '!') {
      this.#take()
      const part = this.#unary()
      const text = part.kind === 'boolean' ? `$not(${part.text})` : `(${truth(part)} ? false : true)`
      return { text, kind: 'boolean' }
    }
    if (this.#next() === '-') {
      this.#take()
      return { text: `-${this.#unary().text}`, kind: 'number' }
    }
    return this.#members(this.#primary())
  }

  #primary(): Part {
    const found = this.#take()
    if (/^\d/.test(found)) return { text: found, kind: 'number' }
    if (/^["']/.test(found)) return { text: JSON.stringify(unquoted(found)), kind: 'string' }
    if (found === 'true' || found === 'false') return { text: found, kind: 'boolean' }
    if (found === 'null') return { text: 'null', kind: 'any' }
    if (found === '(') {
      const inner = this.#ternary()
      this.#take(')')
      return { ...inner, text: `(${inner.text})` }
    }
    if (found === '{') return this.#object()
    const known = this.#known(found)
    if (known) return known
    throw new NotExact(`${found} has no equivalent`)
  }

  /** Members without a value are left out, as in the JSON of an object of JavaScript. */
  #object(): Part {
    const members: string[] = []
    while (!this.#skips('}')) {
      const name = this.#take()
      if (!/^["'A-Za-z_$]/.test(name)) throw new NotExact(`the name ${name} has no equivalent`)
      this.#take(':')
      const key = /^["']/.test(name) ? unquoted(name) : name
      members.push(`${JSON.stringify(key)}: ${this.#ternary().text}`)
      if (this.#next() !== '}') this.#take(',')
    }
    return { text: `{${members.join(', ')}}`, kind: 'object' }
  }

  #known(name: string): Part | null {
    const any = (text: string): Part => ({ text, kind: 'any' })
    if (name === '$json') return any('input')
    if (name === '$vars') return any('vars')
    if (name === '$runIndex') return { text: '(index ? index : 0)', kind: 'number' }
    if (name === '$input') {
      this.#which()
      return any('input')
    }
    if (name === '$execution' && this.#skips('.', 'id')) return { text: 'execution.id', kind: 'string' }
    if (name === '$workflow' && this.#skips('.', 'id'))
      return { text: 'execution.workflow_id', kind: 'string' }
    if (name === '$now') return this.#now()
    if (name === 'Date' && this.#skips('.', 'now', '(', ')')) return millis
    if (name === 'new' && this.#skips('Date', '(', ')', '.')) {
      if (this.#skips('toISOString', '(', ')')) return now
      if (this.#skips('getTime', '(', ')')) return millis
      throw new NotExact('a date has no equivalent')
    }
    if (name === '$') {
      this.#take('(')
      const node = this.#named(this.#take())
      this.#take(')')
      return this.#itemOf(node)
    }
    if (name === '$node') {
      const text = this.#take() === '[' ? this.#bracketName() : JSON.stringify(this.#take())
      if (!this.#skips('[', '"json"', ']') && !this.#skips('[', "'json'", ']')) {
        this.#take('.')
        this.#take('json')
      }
      return any(this.#pairedOf(this.#named(text)))
    }
    if (name === 'JSON' && this.#skips('.', 'stringify')) {
      const { text } = this.#call('', 'any')
      // Unlike JSON.stringify, $string of a text is the text itself.
      const json = `$string({"v": ${text.slice(1, -1)}})`
      return { text: `$substring(${json}, 5, $length(${json}) - 6)`, kind: 'string' }
    }
    if (name === 'Math') return this.#math()
    return null
  }

  /** The time in UTC. What depends on the zone or the formats of n8n is refused. */
  #now(): Part {
    if (this.#skips('.', 'toUTC', '(', ')', '.', 'toISO', '(', ')')) return now
    if (this.#skips('.', 'toMillis', '(', ')')) return millis
    throw new NotExact('$now is in the time zone of the workflow in n8n; now is in UTC')
  }

  #bracketName(): string {
    const name = this.#take()
    this.#take(']')
    return name
  }

  #named(quoted: string): Named & { name: string } {
    if (!/^["']/.test(quoted)) throw new NotExact('the name of a node must be a text')
    const name = unquoted(quoted)
    const named = this.#ids.get(name)
    if (named === undefined) throw new NotExact(`there is no node ${name}`)
    return { name, ...named }
  }

  /** The item of a node that belongs to the current one. */
  #pairedOf({ name, id, items }: Named & { name: string }): string {
    const output = `nodes.${fieldName(id)}.output`
    const orError = (message: string) => `$error(${JSON.stringify(`${name} ${message}`)})`
    if (items === 'several') return `($count(${output}) > 1 ? ${orError(severalItems)} : ${output})`
    if (items === 'loop') return `(item = null ? ${orError('has no current item here')} : item)`
    if (items === 'loops')
      throw new NotExact(`${name} may have several items; name the node that follows it, or use item`)
    return output
  }

  /** `.item.json`, `.first().json` and `.last().json`. */
  #itemOf(node: Named & { name: string }): Part {
    const which = this.#which()
    if (which === 'item' || node.items === undefined) return { text: this.#pairedOf(node), kind: 'any' }
    if (node.items !== 'several') throw new NotExact(`${which} of a loop has no equivalent`)
    const position = which === 'first' ? 0 : -1
    return { text: `nodes.${fieldName(node.id)}.output[${position}]`, kind: 'any' }
  }

  #which(): string {
    this.#take('.')
    const name = this.#take()
    if (name === 'first' || name === 'last') {
      this.#take('(')
      this.#take(')')
    } else if (name !== 'item') throw new NotExact(`${name} has no equivalent`)
    this.#take('.')
    this.#take('json')
    return name
  }

  #math(): Part {
    this.#take('.')
    const name = this.#take()
    if (name !== 'floor' && name !== 'ceil' && name !== 'abs')
      throw new NotExact(`Math.${name} has no equivalent`)
    return this.#call(`$${name}`, 'number')
  }

  #call(name: string, kind: Kind): Part {
    this.#take('(')
    const inner = this.#ternary()
    this.#take(')')
    return { text: `${name}(${inner.text})`, kind }
  }

  /** Takes these tokens if they come next. */
  #skips(...expected: string[]): boolean {
    if (!expected.every((one, index) => this.#tokens[this.#at + index] === one)) return false
    this.#at += expected.length
    return true
  }

  #members(start: Part): Part {
    let part = start
    for (;;) {
      if (this.#next() === '.' || this.#next() === '?.') {
        this.#take()
        const name = this.#take()
        part = this.#next() === '(' ? this.#method(part, name) : member(part, name)
      } else if (this.#next() === '[') {
        this.#take()
        const index = this.#take()
        this.#take(']')
        if (part.kind === 'string') throw new NotExact('a letter of a text has no equivalent')
        part = /^\d+$/.test(index)
          ? { text: `${part.text}[${index}]`, kind: 'any' }
          : member(part, /^["']/.test(index) ? unquoted(index) : refuse(`[${index}] has no equivalent`))
      } else return part
    }
  }

  #method({ text }: Part, name: string): Part {
    const simple: Readonly<Record<string, string>> = { toUpperCase: '$uppercase', toLowerCase: '$lowercase' }
    const known = ownValue(simple, name)
    this.#take('(')
    if (known && this.#next() === ')') {
      this.#take()
      return { text: `${known}(${text})`, kind: 'string' }
    }
    const argument = name === 'split' && /^["']/.test(this.#next() ?? '') ? this.#take() : null
    if (argument === null || this.#next() !== ')') throw new NotExact(`.${name}() has no exact equivalent`)
    this.#take()
    return { text: `$split(${text}, ${JSON.stringify(unquoted(argument))})`, kind: 'list' }
  }
}

function refuse(message: string): never {
  throw new NotExact(message)
}

function member({ text, kind }: Part, name: string): Part {
  if (name === 'length' && kind === 'list') return { text: `$count(${text})`, kind: 'number' }
  if (name === 'length') throw new NotExact('.length is $count of a list and $length of a text')
  return { text: `${text}.${fieldName(name)}`, kind: 'any' }
}

const now: Part = { text: 'now', kind: 'string' }
const millis: Part = { text: '$toMillis(now)', kind: 'number' }

/** What JavaScript takes as true, of the value `$v`. */
const isTrueText = '$exists($v) and $not($v in [false, null, 0, ""])'

const truth = (part: Part): string => {
  if (isBoolean(part)) return part.text
  if (part.kind !== 'any') throw new NotExact('what counts as true differs')
  return `($v := ${part.text}; ${isTrueText})`
}

const isBoolean = ({ kind }: Part) => kind === 'boolean' || kind === 'comparison'
const isLiteral = ({ text }: Part) => /^(?:"|-?\d|(?:true|false|null)$)/.test(text)

/** JSONata has one precedence for all comparisons; JavaScript has two. */
const side = (part: Part): string => (isBoolean(part) && !isLiteral(part) ? `(${part.text})` : part.text)

/** `===`; in JSONata two missing values are not equal. */
function isSame(left: Part, right: Part): Part {
  const text = `${side(left)} = ${side(right)}`
  const isExact = isLiteral(left) || isLiteral(right) || left.kind !== 'any' || right.kind !== 'any'
  return {
    text: isExact ? text : `(${text} or $not($exists(${left.text}) or $exists(${right.text})))`,
    kind: 'boolean',
  }
}

function combined(operator: string, left: Part, right: Part): Part {
  const join = (sign: string, kind: Kind): Part => ({ text: `${left.text} ${sign} ${right.text}`, kind })
  const are = (kind: Kind) => left.kind === kind && right.kind === kind
  if (left.kind === 'object' || right.kind === 'object')
    throw new NotExact(`${operator} of an object has no equivalent`)
  if (operator === '===') return isSame(left, right)
  if (operator === '!==') return { text: `$not(${isSame(left, right).text})`, kind: 'boolean' }
  if (['<', '>', '<=', '>='].includes(operator))
    return { text: `${side(left)} ${operator} ${side(right)}`, kind: 'comparison' }
  if (['-', '*', '/', '%'].includes(operator) && left.kind !== 'string' && right.kind !== 'string')
    return join(operator, 'number')
  if (operator === '+' && are('number')) return join('+', 'number')
  if (operator === '+' && (left.kind === 'string' || right.kind === 'string')) return join('&', 'string')
  if (operator === '+') throw new NotExact('+ adds numbers or joins texts; use + or &')
  if (operator === '&&' && isBoolean(left) && isBoolean(right)) return join('and', 'boolean')
  if (operator === '||' && isBoolean(left) && isBoolean(right)) return join('or', 'boolean')
  if (operator === '||' && left.kind === 'any')
    return { text: `($v := ${left.text}; ${isTrueText} ? $v : (${right.text}))`, kind: 'any' }
  if (operator === '??')
    return {
      text: `($exists(${left.text}) and ${left.text} != null ? ${left.text} : ${right.text})`,
      kind: left.kind === right.kind ? left.kind : 'any',
    }
  throw new NotExact(`${operator} has no exact equivalent`)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

const unquoted = (quoted: string): string =>
  quoted.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => ownValue(escapes, letter) ?? letter)

/** The JSONata of one expression. */
export const translateScript = (text: string, ids: NodeIds): string => new Parser(text, ids).all().text

/** The value whose JSON an expression returns. */
export function jsonOf(script: string, ids: NodeIds): string {
  const inner = new Parser(script, ids).stringified()
  if (inner !== null) return inner
  const { text, kind } = new Parser(script, ids).all()
  if (kind === 'number' || kind === 'boolean' || kind === 'object') return text
  throw new NotExact('a text there would be read as JSON')
}
