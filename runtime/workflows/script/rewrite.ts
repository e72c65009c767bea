import { type Node, parse } from 'acorn'
import { extensionNames } from './extension-names.ts'

/**
 * Code with its calls of extension methods, such as `name.toTitleCase()`, as calls of a function: values have no such
 * methods of their own. Throws a `SyntaxError`. The host parses code and never runs it.
 */
export function rewritten(code: string): string {
  const { text, root } = parsedExpression(code)
  const edits: Edit[] = []
  collect(root, text, edits)
  return edits.length === 0 ? text : edited(text, edits)
}

/** All texts in the code. One without an end goes to the end of the code, so that reading takes linear time. */
export function namesIn(code: string): Set<string> {
  const names = new Set<string>()
  for (const [, double, single, back] of code.matchAll(
    /"((?:\\.|[^"\\])*)(?:"|$)|'((?:\\.|[^'\\])*)(?:'|$)|`((?:\\.|[^`\\])*)(?:`|$)/gs,
  ))
    names.add((double ?? single ?? back ?? '').replace(/\\(.)/gs, '$1'))
  for (const [, name] of code.matchAll(/\$node\.([\w$]+)/g)) if (name) names.add(name)
  return names
}

interface Edit {
  at: number
  /** Of the text that is replaced. */
  end: number
  text: string
}

/** An object literal would be a block. */
function parsedExpression(code: string): { text: string; root: Node } {
  const text = code.trim().replace(/(?<!;);+$/, '')
  if (text === '') return { text: 'undefined', root: parseText('undefined') }
  return { text, root: parseText(text) }
}

function parseText(text: string): Node {
  const program = parse(`(${text}\n)`, { ecmaVersion: 'latest', sourceType: 'script' })
  const [first, ...more] = program.body
  if (first?.type !== 'ExpressionStatement' || more.length > 0) throw new SyntaxError('it is not one expression')
  return first
}

interface Call extends Node {
  optional: boolean
  callee: Node & { object: Node; property: Node & { name: string }; computed: boolean; optional: boolean }
}

/** The bracket before the text. */
const offset = 1

function collect(node: Node, text: string, edits: Edit[]): void {
  if (node.type === 'CallExpression') addEdits(node as Call, text, edits)
  for (const member of Object.values(node))
    for (const child of [member].flat())
      if (typeof child === 'object' && child !== null && 'type' in child) collect(child as Node, text, edits)
}

function addEdits({ callee, optional, end }: Call, text: string, edits: Edit[]): void {
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier') return
  const { object, property } = callee
  if (!extensionNames.has(property.name) || object.type === 'Super' || isBuiltIn(object)) return
  const open = /^\s*(?:\?\.\s*)?\(/.exec(text.slice(callee.end - offset))
  if (!open) return
  const isOptional = optional || callee.optional || hasOptional(object)
  const call = isOptional ? 'extendOptional' : 'extend'
  const start = callee.end - offset + open[0].length
  edits.push(
    { at: object.start - offset, end: object.start - offset, text: `hearthdItems.${call}(` },
    {
      at: object.end - offset,
      end: start,
      text: `, ${JSON.stringify(property.name)}, ${isOptional ? '() => ' : ''}[`,
    },
    { at: end - offset - 1, end: end - offset, text: '])' },
  )
}

const builtIns = new Set(['Math', 'Object', 'Number', 'JSON', 'Array', 'String', 'Date'])

/** A function of the language, such as `Math.round`. */
const isBuiltIn = (object: Node): boolean =>
  object.type === 'Identifier' && builtIns.has((object as Node & { name: string }).name)

/** Whether a `?.` before the call may leave it without a value. */
function hasOptional(node: Node): boolean {
  if (node.type === 'ChainExpression') return true
  if (node.type !== 'MemberExpression' && node.type !== 'CallExpression') return false
  const { optional, object, callee } = node as Node & { optional: boolean; object?: Node; callee?: Node }
  const inner = object ?? callee
  return optional || (inner !== undefined && hasOptional(inner))
}

function edited(text: string, edits: readonly Edit[]): string {
  // At one place, the outer call comes first where it begins, and last where it ends.
  const ordered = edits
    .map((edit, order) => ({ ...edit, order }))
    .toSorted((left, right) => left.at - right.at || left.end - right.end || left.order - right.order)
  let at = 0
  let result = ''
  for (const edit of ordered) {
    result += text.slice(at, edit.at) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}
