/** One element of a page, as it is listed. */
export interface ListedElement {
  kind: string
  label: string
  states: readonly string[]
  in_viewport: boolean
  /** The same as long as what it stands for is the same. */
  ref: string
}

export interface LineOptions {
  /** Characters of all lines together. */
  max_chars: number
  /** Only what the viewport shows. */
  viewport: boolean
  /** Lines by `ref` that the reader knows already; null lists everything. */
  known: ReadonlyMap<string, string> | null
}

export interface Lines {
  text: string
  truncated: boolean
}

/** Characters of a label, from generous to short; the first that fits is taken. */
const labelLimits = [100, 40, 20]
const mostStates = 400
const roomForNote = 120

/** `[12] Save changes (button, disabled)`: a line for each element, numbered by its place in `elements` from 1. */
export function linesOf(elements: readonly ListedElement[], options: LineOptions): Lines {
  const { known } = options
  const wanted = elements
    .map((element, position) => ({ element, index: position + 1 }))
    .filter(({ element }) => !options.viewport || element.in_viewport)
    .filter(({ element }) => !known || known.get(element.ref) !== lineBody(element))
  for (const limit of labelLimits) {
    const lines = linesWithin(wanted, limit, options.max_chars)
    if (!lines) continue
    const text = [...lines, ...goneNote(elements, known)].join('\n')
    if (text.length <= options.max_chars) return { text, truncated: false }
  }
  return { text: cut(wanted, options.max_chars), truncated: true }
}

interface Wanted {
  element: ListedElement
  index: number
}

const lineOf = ({ element, index }: Wanted, limit: number | undefined) =>
  `[${index}] ${lineBody(element, limit)}`

/** Null as soon as they are more than there is room for. */
function linesWithin(wanted: readonly Wanted[], limit: number, most: number): string[] | null {
  const lines: string[] = []
  let room = most + 1
  for (const one of wanted) {
    const line = lineOf(one, limit)
    room -= line.length + 1
    if (room < 0) return null
    lines.push(line)
  }
  return lines
}

/** What stays the same for a reader who knows it by its `ref`. */
export const lineBody = ({ label, kind, states }: ListedElement, limit = labelLimits[0] ?? 0): string => {
  const name = clean(label, limit)
  const state = states.length > 0 ? `, ${clean(states.join(', '), mostStates)}` : ''
  return `${name}${name ? ' ' : ''}(${clean(kind, 40)}${state})`
}

/** What the viewport shows comes first when there is no room for all. */
function cut(wanted: readonly Wanted[], most: number): string {
  const byNeed = wanted.toSorted(
    (left, right) => Number(right.element.in_viewport) - Number(left.element.in_viewport),
  )
  const kept: { index: number; line: string }[] = []
  let room = most - roomForNote
  for (const one of byNeed) {
    const line = lineOf(one, labelLimits.at(-1))
    room -= line.length + 1
    if (room < 0) break
    kept.push({ index: one.index, line })
  }
  const lines = kept.toSorted((left, right) => left.index - right.index).map(({ line }) => line)
  const left = wanted.length - kept.length
  return [...lines, `… ${left} more elements; scroll to them, or ask with a larger max_chars`].join('\n')
}

function goneNote(elements: readonly ListedElement[], known: LineOptions['known']): string[] {
  if (!known) return []
  const here = new Set(elements.map(({ ref }) => ref))
  const gone = [...known.keys()].filter((ref) => !here.has(ref)).length
  return gone > 0 ? [`… ${gone} ${gone === 1 ? 'element is' : 'elements are'} gone`] : []
}

/**
 * Text of a page within one line: without line ends, control and direction characters, and without anything that
 * looks like the number of another line.
 */
function clean(text: string, most: number): string {
  // Most texts are in order, which is sooner seen than put.
  const plain = /^[!-Z^-~]+(?: [!-Z^-~]+)*$/.test(text)
    ? text
    : text
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
        .replace(/\[(\d+)\]/g, '($1)')
        .trim()
  return plain.length <= most ? plain : `${plain.slice(0, most).toWellFormed().trimEnd()}…`
}

/** A short name of what an element is; `nth` tells equal ones apart. FNV-1a, for it need not withstand anybody. */
export function refOf(parts: readonly string[], nth: number): string {
  const text = `${parts.join('\u0000')}\u0000${nth}`
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `e${(hash >>> 0).toString(36)}`
}
