import { isSymbol, symbolsIn, symbolTerm, symbolTerms } from './search/query.ts'

/** Private-use characters that mark a match. They are valid inside JSON strings and have no meaning in texts. */
export const marks = { open: '\uE000', close: '\uE001' } as const

/** Characters shown on either side of the first match. */
const contextLength = 90

/** Converts the index's snippets to HTML in which `<mark>` is the only markup. */
export function highlightsOf({
  content,
  reply,
  topics,
}: {
  content: string
  reply: string
  /** A JSON list. */
  topics: string
}): string[] {
  const labels = JSON.parse(topics) as string[]
  return [content, reply, ...labels].filter((text) => text.includes(marks.open)).map(toHtml)
}

/** Excerpts around fragments in texts, as HTML in which `<mark>` is the only markup. */
export function highlightFragments(texts: readonly string[], fragments: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const matches = matchesIn(text, fragments)
    const [first] = matches
    if (!first) return []
    const start = Math.max(0, first.from - contextLength)
    const end = Math.max(first.to, first.from + contextLength)
    const shown = matches.filter(({ to }) => to <= end)
    return [
      toHtml(`${start > 0 ? '…' : ''}${marked(text, shown, { start, end })}${end < text.length ? '…' : ''}`),
    ]
  })
}

interface Range {
  from: number
  to: number
}

/** The ranges of the fragments, with adjacent ones merged. An emoji is always marked whole. */
function matchesIn(text: string, fragments: readonly string[]): Range[] {
  const runs = fragments.filter((fragment) => !isSymbol(fragment))
  const wanted = new Set(fragments.filter(isSymbol).map(symbolTerm))
  const symbols = symbolsIn(text).filter(({ symbol }) => symbolTerms(symbol).some((term) => wanted.has(term)))
  const found = [
    ...symbols.map(({ index, length }) => ({ from: index, to: index + length })),
    ...runs.flatMap((run) => [...text.matchAll(new RegExp(run, 'giu'))].map(rangeOf)),
  ].sort((left, right) => left.from - right.from || left.to - right.to)
  const joined: Range[] = []
  for (const { from, to } of found) {
    const last = joined.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

const rangeOf = ({ 0: { length }, index }: RegExpMatchArray): Range => ({
  from: index ?? 0,
  to: (index ?? 0) + length,
})

function marked(
  text: string,
  ranges: readonly Range[],
  { start, end }: { start: number; end: number },
): string {
  let at = start
  const parts = ranges.map(({ from, to }) => {
    const part = `${text.slice(at, from)}${marks.open}${text.slice(from, to)}${marks.close}`
    at = to
    return part
  })
  return `${parts.join('')}${text.slice(at, end)}`.toWellFormed()
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function toHtml(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
  return escaped.replaceAll(marks.open, '<mark>').replaceAll(marks.close, '</mark>')
}
