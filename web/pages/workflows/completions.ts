import { extensionNames } from '../../../runtime/workflows/script/extension-names.ts'

/** The steps to a value within an item: names, and positions of lists. */
export type Path = readonly (string | number)[]

interface Named {
  id: string
  name: string
}

/** Where a value is found: in the input, or in the output of another node. */
export interface Place {
  node: Named | null
  path: Path
}

export type Language = 'JSONata' | 'JavaScript' | null

const scriptMark = '=js:'
const isScript = (text: string) => text.startsWith(scriptMark)

/** The language of the expressions in a text; null for a plain text. `isCode`: the field is an expression as a whole. */
export function languageOf(text: string, isCode: boolean): Language {
  if (isScript(text)) return 'JavaScript'
  return isCode || text.startsWith('=') || text.includes('{{') ? 'JSONata' : null
}

/** Where the code around the caret begins; null outside of an expression. */
function codeStart(text: string, caret: number, isCode: boolean): number | null {
  if (!isScript(text) && (isCode || text.startsWith('='))) return text.startsWith('=') ? 1 : 0
  const open = text.lastIndexOf('{{', caret - 1)
  return open < 0 || caret < open + 2 || text.slice(open, caret).includes('}}') ? null : open + 2
}

const isWord = (name: string) => /^[A-Za-z_$][\w$]*$/.test(name)

const jsonataStep = (step: string | number) =>
  typeof step === 'number' ? `[${step}]` : `.${isWord(step) && !/^(and|or|in)$/.test(step) ? step : `\`${step}\``}`
const scriptStep = (step: string | number) =>
  typeof step === 'string' && isWord(step) ? `.${step}` : `[${JSON.stringify(step)}]`

const quoted = (name: string) => `'${name.replace(/[\\']/g, '\\$&')}'`

/** The expression for a value, in the language of the text. */
function expressionFor({ node, path }: Place, text: string): string {
  if (isScript(text)) return (node ? `$(${quoted(node.name)}).item.json` : '$json') + path.map(scriptStep).join('')
  return (node ? `nodes${jsonataStep(node.id)}.output` : 'input') + path.map(jsonataStep).join('')
}

/** A path as fields that hold the name of a field take it: `customer.tags[0]`. */
export const pathText = (path: Path): string =>
  path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index > 0 ? `.${step}` : step)).join('')

export interface Edited {
  text: string
  caret: number
}

const replaced = (text: string, from: number, to: number, by: string): Edited => ({
  text: text.slice(0, from) + by + text.slice(to),
  caret: from + by.length,
})

interface Field {
  isCode: boolean
  /** It holds any value: an expression alone keeps its type. */
  isAny: boolean
}

/** The text with the expression for a value instead of the selection. */
export function inserted(text: string, [from, to]: readonly [number, number], place: Place, field: Field): Edited {
  const expression = expressionFor(place, text)
  if (codeStart(text, from, field.isCode) !== null) return replaced(text, from, to, expression)
  return replaced(text, from, to, text === '' && field.isAny ? `=${expression}` : `{{ ${expression} }}`)
}

/** What expressions of a node can read. */
export interface Readable {
  /** One item. */
  input: unknown
  vars: Readonly<Record<string, unknown>>
  /** The nodes before it. */
  nodes: readonly Named[]
  /** The first item of a node's output; undefined if it is not known. */
  outputOf(id: string): unknown
}

export interface Completion {
  label: string
  /** The beginning of its value. */
  detail: string
  edited: Edited
}

const functions =
  '$sum $count $max $min $average $string $number $boolean $length $substring $uppercase $lowercase $trim $contains ' +
  '$split $join $replace $match $now $fromMillis $toMillis $round $floor $ceil $abs $map $filter $reduce $sort $distinct ' +
  '$merge $keys $lookup $exists $append $reverse $zip $type'
const methods =
  'at concat every filter find flatMap includes indexOf join map reduce reverse slice some sort endsWith padStart repeat ' +
  'replace replaceAll split startsWith substring toLowerCase toUpperCase trim toFixed toISO toFormat plus minus'
const scriptMethods = [...new Set([...methods.split(' '), ...extensionNames])].sort()

/** What an expression begins with, and what it leads to. */
function roots({ input, vars, nodes, outputOf }: Readable, script: boolean): Record<string, unknown> {
  if (!script) {
    const outputs = Object.create(null) as Record<string, unknown>
    for (const { id } of nodes)
      Object.defineProperty(outputs, id, { enumerable: true, get: () => ({ output: outputOf(id) }) })
    const names = Object.fromEntries(functions.split(' ').map((name) => [name, undefined]))
    return { input, nodes: outputs, vars, item: input, index: 0, now: '', execution: { id: '' }, ...names }
  }
  return {
    ...{ $json: input, $input: itemsOf(input), $vars: vars, $itemIndex: 0, $now: '', $today: '', $if: undefined },
    ...{ $workflow: { id: '', name: '' }, $execution: { id: '', mode: '' }, $jmespath: undefined },
  }
}

const itemsOf = (json: unknown) => ({
  ...{ item: { json }, 'first()': { json }, 'last()': { json }, 'all()': [{ json }] },
})

/** Names, calls, positions and texts at the end of code: `$('Node').item.json.na`. */
const chain = /(?:\$\((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")\)|`[^`]*`|[$\w]|\.|\[(?:\d+|'[^']*'|"[^"]*")\]|\(\))*$/
const step = /\$\((['"])((?:\\.|(?!\1).)*)\1\)|`([^`]*)`|\[(\d+)\]|\[['"]([^'"]*)['"]\]|([$\w]+(?:\(\))?)/g

function valueAt(code: string, readable: Readable, script: boolean): unknown {
  let value: unknown = roots(readable, script)
  for (const [, , node, back, position, text, word] of code.matchAll(step)) {
    const named =
      node === undefined ? undefined : readable.nodes.find(({ name }) => name === node.replace(/\\(.)/g, '$1'))
    if (node !== undefined) value = named && itemsOf(readable.outputOf(named.id))
    else value = memberOf(value, position === undefined ? (back ?? text ?? word ?? '') : Number(position))
  }
  return value
}

/** JSONata reads a member of a list from its items. */
function memberOf(value: unknown, name: string | number): unknown {
  const own = Array.isArray(value) && typeof name === 'string' ? value[0] : value
  return typeof own === 'object' && own !== null && Object.hasOwn(own, name)
    ? (own as Record<string | number, unknown>)[name]
    : undefined
}

const maxOptions = 60
const maxDetail = 40

const detailOf = (value: unknown): string =>
  value === undefined || value === '' ? '' : (JSON.stringify(value) ?? '').slice(0, maxDetail)

/** What can follow at the caret. */
export function completionsAt(text: string, caret: number, isCode: boolean, readable: Readable): Completion[] {
  const start = codeStart(text, caret, isCode)
  if (start === null) return []
  const script = isScript(text)
  const code = text.slice(start, caret)
  const name = script ? /\$\((['"])([^'"]*)$/.exec(code) : null
  if (name) {
    const [, quote = '', prefix = ''] = name
    const end = caret + (text.slice(caret).startsWith(`${quote})`) ? 2 : 0)
    return readable.nodes
      .filter((node) => node.name.toLowerCase().startsWith(prefix.toLowerCase()))
      .map((node) => ({
        ...{ label: node.name, detail: node.id },
        edited: replaced(text, caret - prefix.length - 1, end, `${quoted(node.name)})`),
      }))
  }
  const [links = ''] = chain.exec(code) ?? []
  const prefix = /[$\w]*$/.exec(links)?.[0] ?? ''
  const head = links.slice(0, links.length - prefix.length)
  if (head !== '' && !head.endsWith('.')) return []
  const value = valueAt(head, readable, script)
  const item = Array.isArray(value) && !script ? value[0] : value
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  const members = isObject ? Object.keys(item) : []
  const calls =
    script && head !== '' && value !== undefined && prefix !== '' ? scriptMethods.map((one) => `${one}()`) : []
  const fits = (label: string) => label.toLowerCase().startsWith(prefix.toLowerCase()) && label !== prefix
  const option = (label: string, isMember: boolean): Completion => {
    const from = caret - prefix.length
    const isPlain = head === '' || isWord(label.replace('()', ''))
    const by = isPlain ? label : (script ? scriptStep(label) : jsonataStep(label)).replace(/^\./, '')
    return {
      label,
      detail: isMember ? detailOf(memberOf(item, label)) : '',
      edited: replaced(text, by.startsWith('[') ? from - 1 : from, caret, by),
    }
  }
  return [
    ...members.filter(fits).map((label) => option(label, true)),
    ...calls.filter(fits).map((label) => option(label, false)),
    ...(script && head === '' ? ["$('"].filter((label) => label.startsWith(prefix)) : []).map((label) =>
      option(label, false),
    ),
  ].slice(0, maxOptions)
}
