/** An element in a snapshot. */
export interface ListedElement {
  /** The same as long as the element is on the page. */
  number: number
  kind: string
  label: string
  states: readonly string[]
  in_viewport: boolean
  /** The same for an element with the same meaning, also after it is rendered again. */
  ref: string
}

export interface LineOptions {
  /** Characters of all lines together. */
  max_chars: number
  /** Only what the viewport shows. */
  viewport: boolean
  /** Lines by number that the reader has been shown; null lists everything. */
  previous: ReadonlyMap<number, string> | null
}

export interface Lines {
  text: string
  truncated: boolean
  /** Numbers of elements that are new to the reader, and left out. */
  left_out: number[]
}

/** Characters of a label, from generous to short; the first that fits is taken. */
const labelLimits = [100, 40, 20]
const maxStates = 400
const roomForNote = 120

/** `[12] Save changes (button, disabled)`: one line per element. */
export function linesOf(elements: readonly ListedElement[], options: LineOptions): Lines {
  const { previous, max_chars } = options
  const changed = elements.filter((element) => !previous || previous.get(element.number) !== lineBody(element))
  const candidates = changed.filter((element) => !options.viewport || element.in_viewport)
  const without = (listed: readonly ListedElement[]) => {
    const numbers = new Set(listed.map(({ number }) => number))
    return changed.map(({ number }) => number).filter((number) => !numbers.has(number))
  }
  for (const limit of labelLimits) {
    const lines = linesWithin(candidates, limit, max_chars)
    if (!lines) continue
    const text = [...lines, ...goneNote(elements, previous)].join('\n')
    if (text.length <= max_chars) return { text, truncated: false, left_out: without(candidates) }
  }
  const { text, listed } = cut(candidates, max_chars)
  return { text, truncated: true, left_out: without(listed) }
}

const lineOf = (element: ListedElement, limit: number | undefined) => `[${element.number}] ${lineBody(element, limit)}`

/** Null if they are longer than `max` characters. */
function linesWithin(elements: readonly ListedElement[], limit: number, max: number): string[] | null {
  const lines: string[] = []
  let room = max + 1
  for (const element of elements) {
    const line = lineOf(element, limit)
    room -= line.length + 1
    if (room < 0) return null
    lines.push(line)
  }
  return lines
}

/** A line without its number. */
export const lineBody = (
  { label, kind, states }: Pick<ListedElement, 'label' | 'kind' | 'states'>,
  limit = labelLimits[0] ?? 0,
): string => {
  const name = clean(label, limit)
  const state = states.length > 0 ? `, ${clean(states.join(', '), maxStates)}` : ''
  return `${name}${name ? ' ' : ''}(${clean(kind, 40)}${state})`
}

/** As many lines as there is room for, those of the viewport first. */
function cut(elements: readonly ListedElement[], max: number): { text: string; listed: ListedElement[] } {
  const visibleFirst = [...elements.entries()].toSorted(
    ([, left], [, right]) => Number(right.in_viewport) - Number(left.in_viewport),
  )
  const kept: { at: number; element: ListedElement; line: string }[] = []
  let room = max - roomForNote
  for (const [at, element] of visibleFirst) {
    const line = lineOf(element, labelLimits.at(-1))
    room -= line.length + 1
    if (room < 0) break
    kept.push({ at, element, line })
  }
  const lines = kept.toSorted((left, right) => left.at - right.at).map(({ line }) => line)
  const left = elements.length - kept.length
  const text = [...lines, `… ${left} more elements; scroll to them, or ask with a larger max_chars`].join('\n')
  return { text, listed: kept.map(({ element }) => element) }
}

function goneNote(elements: readonly ListedElement[], previous: LineOptions['previous']): string[] {
  if (!previous) return []
  const here = new Set(elements.map(({ number }) => number))
  const gone = [...previous.keys()].filter((number) => !here.has(number)).length
  return gone > 0 ? [`… ${gone} ${gone === 1 ? 'element is' : 'elements are'} gone`] : []
}

/**
 * Text of a page as part of one line: no line ends, control or direction characters, and nothing like another
 * number.
 */
function clean(text: string, max: number): string {
  // Most texts are plain, and testing is faster than replacing.
  const plain = /^[!-Z^-~]+(?: [!-Z^-~]+)*$/.test(text)
    ? text
    : text
        .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
        .replace(/\[(\d+)\]/g, '($1)')
        .trim()
  return plain.length <= max ? plain : `${plain.slice(0, max).toWellFormed().trimEnd()}…`
}

/**
 * A short hash (FNV-1a) of what describes an element; `counts` distinguishes equal elements of one snapshot.
 */
export function refOf(parts: readonly string[], counts: Map<string, number>): string {
  const same = parts.join('\u0000')
  const nth = counts.get(same) ?? 0
  counts.set(same, nth + 1)
  const text = `${same}\u0000${nth}`
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return `e${(hash >>> 0).toString(36)}`
}
