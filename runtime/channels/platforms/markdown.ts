/** The markup of a platform for each Markdown element. Arguments named `inner` are already translated. */
export interface Dialect {
  text(text: string): string
  bold(inner: string): string
  italic(inner: string): string
  strike(inner: string): string
  code(text: string): string
  link(inner: string, url: string): string
  codeBlock(text: string, language: string): string
  heading(inner: string, level: number): string
  quote(inner: string): string
  /** `mark` is `-` or a number with a dot; `depth` counts from 0. */
  item(inner: string, mark: string, depth: number): string
  rule: string
}

const identity = (text: string) => text

export const plainText: Dialect = {
  text: identity,
  bold: identity,
  italic: identity,
  strike: identity,
  code: identity,
  link: (inner, url) => (inner === url || inner === '' ? url : `${inner} (${url})`),
  codeBlock: identity,
  heading: identity,
  quote: (inner) => prefixLines(inner, '> '),
  item: (inner, mark, depth) => `${'  '.repeat(depth)}${mark === '-' ? '•' : mark} ${inner}`,
  rule: '———',
}

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const prefixLines = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line) => prefix + line)
    .join('\n')

/** Deeper nesting is left as text. */
const maxDepth = 8

/**
 * Translates the Markdown that models write: headings, lists, quotes, fences, tables (as code, because no platform supports
 * them), emphasis, code and links. Everything else, including HTML, is text.
 */
export function translateMarkdown(markdown: string, dialect: Dialect, depth = 0): string {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n')
  const blocks: string[] = []
  for (let at = 0; at < lines.length; ) {
    const { text, next } = blockAt(lines, at, { dialect, depth })
    blocks.push(text)
    at = next
  }
  return blocks.join('\n')
}

/** The original Markdown if its translation exceeds the platform's limit, for example because of a wide table. */
export function translateWithin(markdown: string, dialect: Dialect, maxCharacters: number): string {
  const translated = translateMarkdown(markdown, dialect)
  return translated.length <= maxCharacters ? translated : markdown.slice(0, maxCharacters)
}

interface Translation {
  dialect: Dialect
  depth: number
}

interface Block {
  text: string
  next: number
}

function blockAt(lines: readonly string[], at: number, translation: Translation): Block {
  const { dialect, depth } = translation
  const line = lines[at] ?? ''
  const fence = /^ {0,3}(`{3,}|~{3,}) {0,3}([\w+#.-]*)/.exec(line)
  if (fence) return fenceAt(lines, at, { dialect, mark: fence[1] ?? '', language: fence[2] ?? '' })
  if (isTable(lines, at)) return tableAt(lines, at, dialect)
  if (/^ {0,3}>/.test(line) && depth < maxDepth) return quoteAt(lines, at, translation)
  return { text: lineOf(line, dialect), next: at + 1 }
}

function fenceAt(
  lines: readonly string[],
  at: number,
  { dialect, mark, language }: { dialect: Dialect; mark: string; language: string },
): Block {
  const isEnd = (text: string) => text.length >= mark.length && text === mark[0]?.repeat(text.length)
  const end = nextLine(lines, at, (line) => isEnd(line.trim()))
  return { text: dialect.codeBlock(lines.slice(at + 1, end).join('\n'), language), next: end + 1 }
}

/** The index of the first line after `at` that fulfils the condition; the number of lines if there is none. */
function nextLine(lines: readonly string[], at: number, condition: (line: string) => boolean): number {
  let next = at + 1
  while (next < lines.length && !condition(lines[next] ?? '')) next += 1
  return next
}

function isTable(lines: readonly string[], at: number): boolean {
  const separator = lines[at + 1]?.trim() ?? ''
  return (
    (lines[at] ?? '').includes('|') && separator.includes('-') && separator.includes('|') && /^[|: -]+$/.test(separator)
  )
}

function tableAt(lines: readonly string[], at: number, dialect: Dialect): Block {
  const next = nextLine(lines, at, (line) => !line.includes('|'))
  const rows = lines.slice(at, next).filter((_, index) => index !== 1)
  return { text: dialect.codeBlock(alignTable(rows.map(cellsOf)), ''), next }
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => translateInline(cell.trim(), plainText))

function alignTable(rows: readonly string[][]): string {
  const widths = rows.reduce<number[]>((widest, cells) => {
    for (const [index, cell] of cells.entries()) widest[index] = Math.max(widest[index] ?? 0, cell.length)
    return widest
  }, [])
  const pad = (cells: string[]) => cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  return rows.map((cells) => pad(cells).trimEnd()).join('\n')
}

function quoteAt(lines: readonly string[], at: number, { dialect, depth }: Translation): Block {
  const next = nextLine(lines, at, (line) => !/^ {0,3}>/.test(line))
  const inner = lines.slice(at, next).map((line) => line.replace(/^ {0,3}> ?/, ''))
  return { text: dialect.quote(translateMarkdown(inner.join('\n'), dialect, depth + 1)), next }
}

function lineOf(line: string, dialect: Dialect): string {
  const heading = /^ {0,3}(#{1,6}) (.*)$/.exec(line)
  if (heading) return dialect.heading(translateInline((heading[2] ?? '').trim(), dialect), heading[1]?.length ?? 1)
  if (/^ {0,3}(-{3,}|\*{3,}|_{3,}) {0,3}$/.test(line)) return dialect.rule
  const item = /^( {0,40})([-*+]|\d{1,9}[.)]) (.*)$/.exec(line.replaceAll('\t', '    '))
  if (!item) return translateInline(line, dialect)
  const [, indent = '', mark = '', text = ''] = item
  const bullet = /\d/.test(mark) ? `${mark.slice(0, -1)}.` : '-'
  return dialect.item(translateInline(text, dialect), bullet, Math.min(4, Math.floor(indent.length / 2)))
}

export function translateInline(text: string, dialect: Dialect, depth = 0): string {
  let translated = ''
  let plain = ''
  const unclosed = new Set<string>()
  for (let at = 0; at < text.length; ) {
    const span = spanAt(text, at, { dialect, depth, unclosed })
    if (span) {
      translated += dialect.text(plain) + span.text
      plain = ''
      at = span.next
    } else if (text[at] === '\\' && isPunctuation(text[at + 1])) {
      plain += text[at + 1]
      at += 2
    } else {
      plain += text[at]
      at += 1
    }
  }
  return translated + dialect.text(plain)
}

const isPunctuation = (character: string | undefined): boolean =>
  character !== undefined && /[!-/:-@[-`{-~]/.test(character)

interface InlineTranslation extends Translation {
  /** Marks that no later position closes, so that a text with many of them is not searched for each. */
  unclosed: Set<string>
}

/** Maximum characters of a link's text and of its address; keeps the time linear. */
const maxLink = 2_000

function spanAt(text: string, at: number, translation: InlineTranslation): Block | null {
  switch (text[at]) {
    case '`':
      return codeAt(text, at, translation)
    case '*':
    case '_':
    case '~':
      return translation.depth < maxDepth ? emphasisAt(text, at, translation) : null
    case '!':
      return text[at + 1] === '[' ? linkAt(text, at + 1, translation) : null
    case '[':
      return linkAt(text, at, translation)
    case '<':
      return autolinkAt(text, at, translation.dialect)
    case 'h':
      return isWord(text[at - 1]) ? null : bareUrlAt(text, at, translation.dialect)
    default:
      return null
  }
}

function codeAt(text: string, at: number, { dialect, unclosed }: InlineTranslation): Block {
  let length = 1
  while (text[at + length] === '`') length += 1
  const mark = '`'.repeat(length)
  const end = unclosed.has(mark) ? -1 : text.indexOf(mark, at + length)
  if (end === -1) {
    unclosed.add(mark)
    return { text: dialect.text(mark), next: at + length }
  }
  const code = text.slice(at + length, end)
  const padded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== ''
  return { text: dialect.code(padded ? code.slice(1, -1) : code), next: end + length }
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character)

const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character)

function emphasisAt(text: string, at: number, translation: InlineTranslation): Block | null {
  const { dialect, depth, unclosed } = translation
  const letter = text[at] ?? ''
  const isDouble = text[at + 1] === letter
  if (letter === '~' && !isDouble) return null
  const mark = isDouble ? letter + letter : letter
  if (letter === '_' && isWord(text[at - 1])) return null
  const begin = at + mark.length
  if (isSpace(text[begin]) || unclosed.has(mark)) return null
  const end = closingOf(text, begin, mark)
  if (end === -1) {
    unclosed.add(mark)
    return null
  }
  const inner = translateInline(text.slice(begin, end), dialect, depth + 1)
  const write = letter === '~' ? dialect.strike : isDouble ? dialect.bold : dialect.italic
  return { text: write(inner), next: end + mark.length }
}

function closingOf(text: string, begin: number, mark: string): number {
  for (let end = text.indexOf(mark, begin + 1); end !== -1; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length]
    if (text[end - 1] === '\\') continue
    if (mark.length === 1 && after === mark) {
      // A double mark inside is bold text.
      end += 1
      continue
    }
    if (isSpace(text[end - 1])) continue
    if (mark.length === 2 && after === mark[0]) return end + 1
    if (mark[0] === '_' && isWord(after)) continue
    return end
  }
  return -1
}

function linkAt(text: string, at: number, { dialect, depth }: Translation): Block | null {
  const middle = text.slice(at, at + maxLink).indexOf('](')
  if (middle === -1) return null
  const label = text.slice(at + 1, at + middle)
  if (label.includes('[') || label.includes('\n')) return null
  const begin = at + middle + 2
  const end = closingParenthesis(text, begin)
  if (end === -1) return null
  const url = text.slice(begin, end).trim().split(' ')[0] ?? ''
  const inner = depth < maxDepth ? translateInline(label, dialect, depth + 1) : dialect.text(label)
  const safe = /^(https?:\/\/|mailto:|tel:)/i.test(url)
  return { text: safe ? dialect.link(inner, url) : inner, next: end + 1 }
}

/** A URL may contain pairs of parentheses. */
function closingParenthesis(text: string, from: number): number {
  let open = 0
  for (let at = from; at < Math.min(text.length, from + maxLink); at += 1) {
    if (text[at] === '\n') return -1
    if (text[at] === '(') open += 1
    if (text[at] === ')') open -= 1
    if (open < 0) return at
  }
  return -1
}

function autolinkAt(text: string, at: number, dialect: Dialect): Block | null {
  const length = text.slice(at, at + maxLink).indexOf('>')
  const url = length === -1 ? '' : text.slice(at + 1, at + length)
  if (!/^https?:\/\/[^\s<>]+$/.test(url)) return null
  return { text: dialect.link(dialect.text(url), url), next: at + length + 1 }
}

/** A bare URL: its underscores are not emphasis, and a trailing full stop is not part of it. */
function bareUrlAt(text: string, at: number, dialect: Dialect): Block | null {
  const pattern = /https?:\/\/[^\s<>()[\]"'`*|]{1,2000}/y
  pattern.lastIndex = at
  const match = pattern.exec(text)?.[0]
  if (!match) return null
  const ending = /[.,;:!?]{1,3}$/.exec(match.slice(-3))?.[0] ?? ''
  const url = match.slice(0, match.length - ending.length)
  return { text: dialect.link(dialect.text(url), url), next: at + url.length }
}

/** Slack, Google Chat and WhatsApp use single marks for emphasis. */
export const singleMarks: Dialect = {
  ...plainText,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~${inner}~`,
  code: (text) => `\`${text}\``,
  codeBlock: (text) => `\`\`\`\n${text}\n\`\`\``,
  heading: (inner) => `*${inner.replaceAll('*', '')}*`,
}

/** Markdown for platforms that support only part of it: headings become bold and tables become code. */
export const simpleMarkdown: Dialect = {
  ...plainText,
  text: (text) => text.replace(/[*_`~\\]/g, '\\$&'),
  bold: (inner) => `**${inner}**`,
  italic: (inner) => `*${inner}*`,
  strike: (inner) => `~~${inner}~~`,
  code: (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``),
  link: (inner, url) => (inner.replaceAll('\\', '') === url || inner === '' ? url : `[${inner}](${url})`),
  codeBlock: (text, language) => `\`\`\`${language}\n${text}\n\`\`\``,
  heading: (inner) => `**${inner.replaceAll('**', '')}**`,
  item: (inner, mark, depth) => `${'  '.repeat(depth)}${mark} ${inner}`,
  rule: '---',
}
