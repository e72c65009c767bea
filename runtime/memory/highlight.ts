import type { Marks, Snippets } from './match-store.ts'

/** Private-use characters: they may stand inside JSON strings, and no text means anything by them. */
export const marks: Marks = { open: '\uE000', close: '\uE001' }

/** Characters shown on either side of the first hit. */
const around = 90

/** Fragments of what the index matched, as HTML in which only `<mark>` is markup. */
export function highlightsOf({ content, reply, topics }: Omit<Snippets, 'rowid'>): string[] {
  const labels = JSON.parse(topics) as string[]
  return [content, reply, ...labels].filter((text) => text.includes(marks.open)).map(toHtml)
}

/** Fragments of texts that hold one of the given pieces, for what was found without the index. */
export function highlightFragments(texts: readonly string[], fragments: readonly string[]): string[] {
  const pattern = new RegExp(`(?:${fragments.join('|')})+`, 'giu')
  return texts.flatMap((text) => {
    const first = text.search(pattern)
    if (first < 0) return []
    const start = Math.max(0, first - around)
    const part = text.slice(start, first + around).toWellFormed()
    const shown = `${start > 0 ? '…' : ''}${part}${first + around < text.length ? '…' : ''}`
    return [toHtml(shown.replace(pattern, `${marks.open}$&${marks.close}`))]
  })
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
