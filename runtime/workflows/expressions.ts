import type { z } from 'zod'
import { isExpression, partsOf, resolveText } from '../expressions.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { errorMessage } from '../thrown.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { readable } from '../validation.ts'
import { isSameJson } from '../values.ts'
import { type NodeType, permanentError } from './node-type.ts'
import { isScript, type ScriptTemplate, type ScriptValue, scriptProblem } from './script/template.ts'

/** The data of an expression. */
export interface Data extends Record<string, unknown> {
  input: unknown
  nodes: Readonly<Record<string, { output: unknown }>>
  vars: Readonly<Record<string, unknown>>
  item: unknown
  now: string
}

type Evaluate = (expression: string) => Promise<unknown>

/** The language of a field that is code; `path` has `*` for each item of a list. */
const languageOf = ({ code = {} }: Pick<NodeType, 'code'>, path: readonly string[]) =>
  code[path.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.')]

/** An expression without the `=` that marks expressions in other fields. */
function bare(text: string): string {
  return isScript(text) ? text : text.trim().replace(/^=/, '')
}

/** A text with an expression in the parameters of a node. */
interface Leaf {
  /** Its dotted path. */
  field: string
  text: string
  /** The field itself is an expression, which the node evaluates. */
  isCode: boolean
  /** A model reads it. */
  isPrompt: boolean
}

/** The texts in the parameters that are evaluated before the node runs. */
function leavesOf(type: NodeType, params: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof params === 'object' && params !== null)
    return Object.entries(params).flatMap(([name, value]) => leavesOf(type, value, [...path, name]))
  if (typeof params !== 'string') return []
  const field = path.join('.')
  const language = languageOf(type, path)
  const isEvaluated = language === undefined ? isExpression(params) : language === 'jsonata' && isScript(params)
  if (!isEvaluated) return []
  return [{ field, text: params, isCode: language === 'jsonata', isPrompt: type.prompts?.includes(field) ?? false }]
}

/** The parameters with the values of their leaves. */
function filled(
  type: NodeType,
  params: unknown,
  values: ReadonlyMap<string, unknown>,
  path: readonly string[] = [],
): unknown {
  if (typeof params === 'string') {
    const field = path.join('.')
    if (values.has(field)) return values.get(field)
    return languageOf(type, path) === 'jsonata' ? bare(params) : params
  }
  if (typeof params !== 'object' || params === null) return params
  const member = ([name, value]: [string, unknown]) => [name, filled(type, value, values, [...path, name])] as const
  if (Array.isArray(params)) return params.map((item, index) => member([String(index), item])[1])
  return Object.fromEntries(Object.entries(params).map(member))
}

/** What a node runs with: its input, or one item of it. */
export interface Subject {
  /** What expressions of hearthd see. */
  data: Data
  /** The part of it that nobody but the owner wrote. */
  ownData(): Data
  /** Values of script expressions in fields that are code, by their text. */
  ready: Map<string, ScriptValue>
}

/** Evaluates script templates for all subjects of a node. The result is by subject, then by template. */
export type EvaluateScripts = (templates: readonly ScriptTemplate[]) => Promise<ScriptValue[][]>

export type Resolved = { params: unknown } | { error: unknown }

/** The parameters of a node for each subject, with their expressions evaluated, checked. */
export async function paramsOf(
  type: NodeType,
  own: Readonly<Record<string, unknown>>,
  subjects: readonly Subject[],
  evaluateScripts: EvaluateScripts,
): Promise<Resolved[]> {
  const params = { ...defaultsOf(type), ...own }
  const leaves = leavesOf(type, params)
  if (leaves.length === 0) {
    const resolved = settled(() => checked(type, filled(type, params, new Map())))
    return subjects.map(() => resolved)
  }
  const scripts = leaves.filter(({ text }) => isScript(text))
  const templates = scripts.map(({ text, isPrompt }) => ({ text, apart: isPrompt }))
  const scriptValues = scripts.length === 0 ? [] : await evaluateScripts(templates)
  const resolved: Resolved[] = []
  for (const [index, subject] of subjects.entries()) {
    const values = new Map(scripts.map(({ field }, at) => [field, scriptValues[index]?.[at]]))
    try {
      resolved.push({ params: checked(type, await resolve(type, params, { leaves, subject, values })) })
    } catch (error) {
      resolved.push({ error })
    }
  }
  return resolved
}

function settled(check: () => unknown): Resolved {
  try {
    return { params: check() }
  } catch (error) {
    return { error }
  }
}

async function resolve(
  type: NodeType,
  params: Readonly<Record<string, unknown>>,
  {
    leaves,
    subject,
    values,
  }: { leaves: readonly Leaf[]; subject: Subject; values: ReadonlyMap<string, ScriptValue | undefined> },
): Promise<Record<string, unknown>> {
  const resolved = new Map<string, unknown>()
  for (const { field, text, isCode, isPrompt } of leaves) {
    const script = values.get(field)
    if (script && isCode) subject.ready.set(text.trim(), script)
    else if (script) resolved.set(field, scriptValue(field, script))
    else {
      const evaluate: Evaluate = (expression) => evaluateField(subject, field, expression)
      const forModel: Evaluate = (expression) => evaluateForModel(subject, field, expression)
      resolved.set(field, await resolveText(text, isPrompt ? forModel : evaluate))
    }
  }
  const complete = filled(type, params, resolved) as Record<string, unknown>
  // Without a value, the default would be the expression itself, as a text.
  for (const [name, value] of Object.entries(params))
    if (isExpression(value) && complete[name] === undefined) complete[name] = null
  return complete
}

/** The value of a script template. What its expressions fill in is marked as untrusted if a model reads it. */
function scriptValue(field: string, script: ScriptValue): unknown {
  if ('error' in script) throw expressionError(field, script.error)
  // A value that is undefined is not in the JSON of the engine.
  if (!('parts' in script)) return script.value
  const [before, value, after, ...more] = script.parts
  if (before === '' && after === '' && more.length === 0) return isEmpty(value) ? value : wrapUntrusted(value)
  return script.parts.map((part, index) => (index % 2 === 0 || isEmpty(part) ? part : wrapUntrusted(part))).join('')
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

const expressionError = (field: string, reason: string) =>
  permanentError('expression', `${field} cannot be evaluated: ${reason}`)

/** Evaluates an expression of a field that is code, or of a template of hearthd. */
export async function evaluateField(subject: Subject, field: string, expression: string): Promise<unknown> {
  const ready = subject.ready.get(expression.trim())
  if (ready) return scriptValue(field, ready)
  try {
    return await evaluator(subject.data)(expression)
  } catch (thrown) {
    throw expressionError(field, errorMessage(thrown))
  }
}

async function evaluateForModel(subject: Subject, field: string, expression: string): Promise<unknown> {
  const value = await evaluateField(subject, field, expression)
  if (value === undefined || value === null) return value
  // A value that the owner's own texts alone lead to came from nowhere else.
  const own = await evaluator(subject.ownData())(expression).catch(() => undefined)
  return isSameJson(own, value) ? value : wrapUntrusted(value)
}

function checked(type: NodeType, params: unknown): unknown {
  const parsed = type.params.safeParse(params, readable)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw permanentError('invalid_params', `${issue?.path.join('.') || 'The parameters'} ${issue?.message}`)
}

/** Computed once per type, which never changes. */
const defaults = new WeakMap<NodeType, Record<string, unknown>>()

/** Defaults that are expressions, such as the items of a loop. */
function defaultsOf(type: NodeType): Record<string, unknown> {
  let cached = defaults.get(type)
  if (!cached) {
    const fields = Object.entries((type.params as z.ZodObject).shape)
    const values = fields.map(([name, field]) => [name, (field as z.ZodType).safeParse(undefined).data])
    cached = Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, unknown>
    defaults.set(type, cached)
  }
  return cached
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
    const problems = isScript(params) ? [scriptProblem(params)] : await Promise.all(texts.map(jsonataProblem))
    return problems
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
    if (mayReturnFunction.test(expression) && hasFunction(value)) throw new Error('its value is or contains a function')
    return value
  }

/** A function or variable that is not called. Only such expressions need the search through their value. */
const mayReturnFunction = /function|λ|\$\w+\b(?!\s*\()/

/** Functions of JSONata are objects that are not JSON. */
function hasFunction(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'function'
  return '_jsonata_lambda' in value || '_jsonata_function' in value || Object.values(value).some(hasFunction)
}
