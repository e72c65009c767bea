/** Deeper values are shown as JSON on one line. */
const maxDepth = 12
/** Longer runs are counted instead of shown, so that what follows them stays in sight. */
const maxSpaces = 20
const maxEmptyLines = 3

/**
 * The input of a tool as text, for the person who approves it: one line for each field, and everything that a screen hides
 * (control, direction and invisible characters, long runs of blanks) written out. Lines of a text are marked with `│`, so
 * that no value can look like another field or like the end of the input. Pure.
 */
export function inputText(input: unknown): string {
  const lines = isContainer(input) ? linesOf(input, 0) : valueLines('', input, 0)
  return lines.join('\n') || 'No input'
}

type Container = Record<string, unknown> | readonly unknown[]

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null

function linesOf(value: Container, depth: number): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => valueLines('-', item, depth))
  return Object.entries(value).flatMap(([key, item]) => valueLines(`${keyOf(key)}:`, item, depth))
}

function valueLines(label: string, value: unknown, depth: number): string[] {
  const indent = '  '.repeat(depth)
  const line = (text: string) => indent + [label, text].filter(Boolean).join(' ')
  if (typeof value === 'string' && /[\r\n]/.test(value))
    return [...(label ? [indent + label] : []), ...block(value).map((text) => `${indent}  │ ${text}`)]
  if (!isContainer(value)) return [line(typeof value === 'string' ? textOf(value) : String(value))]
  const size = Object.keys(value).length
  if (size === 0 || depth >= maxDepth) return [line(visible(JSON.stringify(value)))]
  return [indent + label, ...linesOf(value, depth + 1)]
}

const keyOf = (key: string): string => (/^[\w.$@/-]+$/.test(key) ? key : visible(JSON.stringify(key)))

/** A text on one line, in quotation marks if it could be taken for another value or loses blanks. */
function textOf(text: string): string {
  const isPlain = text === text.trim() && text !== '' && !/^(?:["│-]|(?:true|false|null|undefined)$)/.test(text)
  return visible(isPlain && Number.isNaN(Number(text)) ? text : JSON.stringify(text))
}

/** The lines of a text. */
function block(text: string): string[] {
  const lines = text.split(/\r\n|\n/)
  const visibleLines: string[] = []
  for (let at = 0; at < lines.length; ) {
    let next = at
    while (next < lines.length && lines[next]?.trim() === '') next += 1
    if (next - at > maxEmptyLines) visibleLines.push(`⟨${next - at} empty lines⟩`)
    else visibleLines.push(...lines.slice(at, next).map(visible))
    if (next < lines.length) visibleLines.push(visible(lines[next] ?? ''))
    at = next + 1
  }
  return visibleLines
}

/** Also the marks of this notation, and accents that pile up over other lines. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}⟨⟩\u2800]|(?<=\p{M}{4})\p{M}/gu
const longBlank = /[\p{Zs}\t]+/gu

/** A line in which nothing is hidden. */
function visible(line: string): string {
  return line
    .replace(hidden, (character) =>
      // A tab, and the selector that makes a sign an emoji.
      character === '\t' || character === '\ufe0f' ? character : `⟨${codeOf(character)}⟩`,
    )
    .replace(longBlank, (run) => (run.length > maxSpaces ? ` ⟨${run.length} spaces⟩ ` : run))
}

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
