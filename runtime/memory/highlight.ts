import type { Marks, Snippets } from './match-store.ts'
import { isSign, signsIn, signWord, signWords } from './retrieval/signs.ts'

/** Private-use characters: they may stand inside JSON strings, and no text means anything by them. */
export const marks: Marks = { open: '\uE000', close: '\uE001' }

/** Characters shown on either side of the first hit. */
const around = 90

/** Fragments of what the index matched, as HTML in which only `<mark>` is markup. */
export function highlightsOf({ content, reply, topics }: Omit<Snippets, 'rowid'>): string[] {
  const labels = JSON.parse(topics) as string[]
  return [content, reply, ...labels].filter((text) => text.includes(marks.open)).map(toHtml)
}

/** Fragments of texts that hold what is looked for, for what was found without the index of words. */
export function highlightFragments(texts: readonly string[], fragments: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const hits = hitsIn(text, fragments)
    const [first] = hits
    if (!first) return []
    const start = Math.max(0, first.from - around)
    const end = Math.max(first.to, first.from + around)
    const shown = hits.filter(({ to }) => to <= end)
    return [
      toHtml(`${start > 0 ? '…' : ''}${marked(text, shown, { start, end })}${end < text.length ? '…' : ''}`),
    ]
  })
}

interface Stretch {
  from: number
  to: number
}

/** Where the fragments stand, what touches as one. An emoji is marked whole, or it would fall apart. */
function hitsIn(text: string, fragments: readonly string[]): Stretch[] {
  const runs = fragments.filter((fragment) => !isSign(fragment))
  const wanted = new Set(fragments.filter(isSign).map(signWord))
  const signs = signsIn(text).filter(({ sign }) => signWords(sign).some((word) => wanted.has(word)))
  const found = [
    ...signs.map(({ index, length }) => ({ from: index, to: index + length })),
    ...runs.flatMap((run) => [...text.matchAll(new RegExp(run, 'giu'))].map(stretchOf)),
  ].sort((left, right) => left.from - right.from || left.to - right.to)
  const joined: Stretch[] = []
  for (const { from, to } of found) {
    const last = joined.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

const stretchOf = ({ 0: { length }, index }: RegExpMatchArray): Stretch => ({
  from: index ?? 0,
  to: (index ?? 0) + length,
})

function marked(
  text: string,
  hits: readonly Stretch[],
  { start, end }: { start: number; end: number },
): string {
  let at = start
  const parts = hits.map(({ from, to }) => {
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
