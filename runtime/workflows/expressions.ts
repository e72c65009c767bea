import type { z } from 'zod'
import { isExpression, partsOf, resolveText } from '../expressions.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { errorMessage } from '../thrown.ts'
import { turnIfDue } from '../turn.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { readable } from '../validation.ts'
import { isSameJson } from '../values.ts'
import { boundText } from './bound-text.ts'
import { fieldLabel } from './field-label.ts'
import { NodeError, type NodeType, permanentError } from './node-type.ts'
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
  /** As its form names it. */
  label(): string
  text: string
  isScript: boolean
  /** The field itself is an expression, which the node evaluates. */
  isCode: boolean
  /** A model reads it. */
  isPrompt: boolean
  /** Its values stay apart from the text around them. */
  isBound: boolean
}

type Values = ReadonlyMap<string, unknown>

/** The parameters of a node, prepared once for all of its runs. */
interface Plan {
  /** The texts that are evaluated before the node runs. */
  leaves: Leaf[]
  /** Makes the parameters from the values of the leaves. What has no leaf is the same object each time. */
  fill(values: Values): unknown
  /** Without leaves: the parameters, checked. */
  fixed?: Resolved
}

/** By the parameters, which are those of one version of a workflow. */
const plans = new WeakMap<object, Plan>()

function planOf(type: NodeType, own: Readonly<Record<string, unknown>>): Plan {
  let plan = plans.get(own)
  if (!plan) {
    const leaves: Leaf[] = []
    plan = { leaves, fill: fillerOf(type, { ...defaultsOf(type), ...own }, { path: [], leaves }) }
    if (leaves.length === 0) plan.fixed = settled(() => checked(type, plan?.fill(new Map())))
    plans.set(own, plan)
  }
  return plan
}

/** Collects the leaves in the parameters. */
function fillerOf(
  type: NodeType,
  params: unknown,
  { path, leaves }: { path: readonly string[]; leaves: Leaf[] },
): Plan['fill'] {
  const always = (value: unknown) => () => value
  if (typeof params === 'string') {
    const field = path.join('.')
    const language = languageOf(type, path)
    const isCode = language === 'jsonata'
    const isEvaluated = language === undefined ? isExpression(params) : isCode && isScript(params)
    if (!isEvaluated) return always(isCode ? bare(params) : params)
    const isPrompt = type.prompts?.includes(field) ?? false
    leaves.push({
      field,
      label: () => fieldLabel(type.params, path),
      text: params,
      isScript: isScript(params),
      isCode,
      isPrompt,
      isBound: type.bound?.includes(field) ?? false,
    })
    if (isCode) return always(params)
    // Without a value, the default would be the expression itself, as a text.
    return (values) => values.get(field) ?? (path.length === 1 ? null : values.get(field))
  }
  if (typeof params !== 'object' || params === null) return always(params)
  const before = leaves.length
  const members = Object.entries(params).map(
    ([name, value]) => [name, fillerOf(type, value, { path: [...path, name], leaves })] as const,
  )
  const fill = Array.isArray(params)
    ? (values: Values) => members.map(([, member]) => member(values))
    : (values: Values) => Object.fromEntries(members.map(([name, member]) => [name, member(values)]))
  return leaves.length === before ? always(fill(new Map())) : fill
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
  const { leaves, fill, fixed } = planOf(type, own)
  if (fixed) return subjects.map(() => fixed)
  const scripts = leaves.filter((leaf) => leaf.isScript)
  const templates = scripts.map(({ text, isPrompt, isBound }) => ({ text, apart: isPrompt || isBound }))
  const scriptValues = scripts.length === 0 ? [] : await evaluateScripts(templates).catch(naming(scripts))
  const resolved: Resolved[] = []
  for (const [index, subject] of subjects.entries()) {
    await turnIfDue()
    const values = new Map(scripts.map(({ field }, at) => [field, scriptValues[index]?.[at]]))
    try {
      resolved.push({ params: checked(type, fill(await resolve(leaves, subject, values))) })
    } catch (error) {
      resolved.push({ error })
    }
  }
  return resolved
}

/** Names the fields whose expressions ended the engine together, such as one that runs too long. */
const naming =
  (leaves: readonly Leaf[]) =>
  (thrown: unknown): never => {
    if (!(thrown instanceof NodeError) || thrown.code !== 'expression') throw thrown
    const labels = leaves.map(({ label }) => label()).join(' or ')
    throw new NodeError('expression', `${labels} cannot be evaluated: ${thrown.message}`, { definite: true })
  }

function settled(check: () => unknown): Resolved {
  try {
    return { params: check() }
  } catch (error) {
    return { error }
  }
}

/** The values of the leaves. */
async function resolve(
  leaves: readonly Leaf[],
  subject: Subject,
  scripts: ReadonlyMap<string, ScriptValue | undefined>,
): Promise<Values> {
  const resolved = new Map<string, unknown>()
  for (const { field, label, text, isCode, isPrompt, isBound } of leaves) {
    const script = scripts.get(field)
    if (script && isCode) subject.ready.set(text.trim(), script)
    else if (script) resolved.set(field, scriptValue(label, script, isBound ? boundText : promptText))
    else if (isBound && !text.startsWith('=')) resolved.set(field, boundText(await partsIn(subject, label, text)))
    else {
      const evaluate = isPrompt ? evaluateForModel : evaluateField
      resolved.set(field, await resolveText(text, (expression) => evaluate(subject, label, expression)))
    }
  }
  return resolved
}

/** The value of a script template; one whose values stay apart is put together by `join`. */
function scriptValue(label: Leaf['label'], script: ScriptValue, join = promptText): unknown {
  if ('error' in script) throw expressionError(label, script.error)
  // A value that is undefined is not in the JSON of the engine.
  return 'parts' in script ? join(script.parts) : script.value
}

/** What expressions fill in for a model is marked as untrusted. */
function promptText(parts: readonly unknown[]): unknown {
  const [before, value, after, ...more] = parts
  if (before === '' && after === '' && more.length === 0) return isEmpty(value) ? value : wrapUntrusted(value)
  return parts.map((part, index) => (index % 2 === 0 || isEmpty(part) ? part : wrapUntrusted(part))).join('')
}

const partsIn = (subject: Subject, label: Leaf['label'], text: string): Promise<unknown[]> =>
  Promise.all(partsOf(text).map((part, index) => (index % 2 === 0 ? part : evaluateField(subject, label, part))))

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === ''

const expressionError = (label: Leaf['label'], reason: string) =>
  permanentError('expression', `${label() || 'The expression'} cannot be evaluated: ${reason}`)

/** Evaluates an expression of a field that is code, or of a template of hearthd. */
export async function evaluateField(subject: Subject, label: Leaf['label'], expression: string): Promise<unknown> {
  const ready = subject.ready.size === 0 ? undefined : subject.ready.get(expression.trim())
  if (ready) return scriptValue(label, ready)
  try {
    return await evaluator(subject.data)(expression)
  } catch (thrown) {
    throw expressionError(label, errorMessage(thrown))
  }
}

async function evaluateForModel(subject: Subject, label: Leaf['label'], expression: string): Promise<unknown> {
  const value = await evaluateField(subject, label, expression)
  if (value === undefined || value === null) return value
  // A value that the owner's own texts alone lead to came from nowhere else.
  const own = await evaluator(subject.ownData())(expression).catch(() => undefined)
  return isSameJson(own, value) ? value : wrapUntrusted(value)
}

function checked(type: NodeType, params: unknown): unknown {
  const parsed = type.params.safeParse(params, readable)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw permanentError(
    'invalid_params',
    `${fieldLabel(type.params, issue?.path ?? []) || 'The parameters'} ${issue?.message}`,
  )
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
