import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import type { NodeScope, NodeType } from './node-type.ts'

/** The data of an expression. */
export interface Data extends Record<string, unknown> {
  input: unknown
  nodes: Readonly<Record<string, { output: unknown }>>
  vars: Readonly<Record<string, unknown>>
  item: unknown
  now: string
}

type Evaluate = (expression: string) => Promise<unknown>

/** A text with expressions, in parts: expressions are those at odd positions. */
function partsOf(text: string): string[] {
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
  for (let index = 1; index < parts.length; index += 2)
    parts[index] = textOf(await evaluate(parts[index] ?? ''))
  return parts.join('')
}

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** The language of a field that is code; `path` has `*` for each item of a list. */
const languageOf = ({ code = {} }: Pick<NodeType, 'code'>, path: readonly string[]) =>
  code[path.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.')]

/** An expression without the `=` that marks expressions in other fields. */
const bare = (text: string): string => text.trim().replace(/^=/, '')

/** Parameters with all templates evaluated. Fields that are code stay as they are. */
export async function resolveParams(
  type: NodeType,
  params: unknown,
  scope: Pick<NodeScope, 'evaluate' | 'evaluateForModel'>,
  path: readonly string[] = [],
): Promise<unknown> {
  if (typeof params === 'string') {
    const language = languageOf(type, path)
    if (language === 'jsonata') return bare(params)
    const field = path.join('.')
    const evaluate = type.prompts?.includes(field) ? scope.evaluateForModel : scope.evaluate
    return language ? params : resolveText(params, (expression) => evaluate(field, expression))
  }
  if (typeof params !== 'object' || params === null) return params
  if (Array.isArray(params)) {
    const items: unknown[] = []
    for (const [index, item] of params.entries())
      items.push(await resolveParams(type, item, scope, [...path, String(index)]))
    return items
  }
  const resolved: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(params))
    resolved[name] = await resolveParams(type, value, scope, [...path, name])
  return resolved
}

interface ExpressionProblem {
  path: string
  message: string
}

/** Syntax errors of all expressions in the parameters. */
export async function expressionProblems(
  type: NodeType,
  params: unknown,
  path: readonly string[] = [],
): Promise<ExpressionProblem[]> {
  if (typeof params === 'string') {
    const texts = expressionsIn(params, languageOf(type, path))
    const found = await Promise.all(texts.map(jsonataProblem))
    return found
      .filter((problem) => problem !== null)
      .map((problem) => ({ path: path.join('.'), message: `is not a valid expression: ${problem}` }))
  }
  if (typeof params !== 'object' || params === null) return []
  const members = Object.entries(params).map(([name, value]) =>
    name === '__proto__'
      ? [{ path: [...path, name].join('.'), message: 'is not a possible name' }]
      : expressionProblems(type, value, [...path, name]),
  )
  return (await Promise.all(members)).flat()
}

function expressionsIn(text: string, language: 'jsonata' | 'javascript' | undefined): string[] {
  if (language === 'javascript') return []
  if (language === 'jsonata') return bare(text) === '' ? [] : [bare(text)]
  if (text.startsWith('=')) return [text.slice(1)]
  return partsOf(text).filter((_, index) => index % 2 === 1)
}

/** Evaluates over data that is made once for all expressions of a node. The values are JSON. */
export const evaluator =
  (data: Data): Evaluate =>
  async (expression) => {
    const value = await evaluateJsonata(expression, data)
    if (mayReturnFunction.test(expression) && hasFunction(value))
      throw new Error('its value is or contains a function')
    return value
  }

/** A function or variable that is not called. Only such expressions need the search through their value. */
const mayReturnFunction = /function|λ|\$\w+\b(?!\s*\()/

/** Functions of JSONata are objects that are not JSON. */
function hasFunction(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'function'
  return '_jsonata_lambda' in value || '_jsonata_function' in value || Object.values(value).some(hasFunction)
}
