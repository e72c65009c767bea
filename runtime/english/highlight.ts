import { escapeHtml } from '../escape-html.ts'
import { eachSymbol, isSymbol, plainSymbol, symbolParts } from './symbols.ts'
import { folded, wordPattern } from './words.ts'

// FTS5's own functions for this take quadratic time: many seconds for a text of one repeated word. Here the work is
// linear in the text, and bounded for each of the terms.

/** What an excerpt shows and marks. */
export interface Terms {
  /** Whether a word of a text matches. It gets the word in lower case, without accents. */
  matches(word: string): boolean
  /** Sequences of words that are marked as a whole; `form` is how a word of a text compares with them. */
  phrases?: readonly (readonly string[])[]
  form?(word: string): string
  /** Symbols, and runs of scripts without spaces; they match anywhere. */
  fragments?: readonly string[]
}

/** Characters shown before the first match, and of the whole excerpt. */
const before = 60
const width = 180
/** A cut moves by at most this many characters, so that it is between words. */
const maxShift = 20
/** Of a text with more matches, only these are considered. */
const maxMatches = 1_000

/** The best excerpt of each text that contains a term, as HTML in which `<mark>` is the only markup. */
export const excerptsOf = (texts: readonly string[], terms: Terms): string[] =>
  texts.flatMap((text) => excerptOf(text, terms) ?? [])

/** The beginning of a text as HTML, as long as an excerpt. */
export const beginningOf = (text: string): string => cutExcerpt(text, [], 0)

function excerptOf(text: string, terms: Terms): string | null {
  const matches = matchesIn(text, terms)
  const first = bestStart(matches)
  if (first === undefined) return null
  return cutExcerpt(text, matches, text.length <= width ? 0 : Math.max(0, first - before))
}

/** An excerpt that starts at the word after `earliest`. */
function cutExcerpt(text: string, matches: readonly Match[], earliest: number): string {
  const start = cutNear(text, earliest, 1)
  const end = cutNear(text, Math.min(text.length, start + width), -1)
  const parts = [start > 0 ? '…' : '']
  let at = start
  for (const { from, to } of merged(matches.filter((match) => match.to > start && match.from < end))) {
    const [begin, stop] = [Math.max(from, start), Math.min(to, end)]
    parts.push(toHtml(text.slice(at, begin)), `<mark>${toHtml(text.slice(begin, stop))}</mark>`)
    at = stop
  }
  return [...parts, toHtml(text.slice(at, end)), end < text.length ? '…' : ''].join('')
}

interface Range {
  from: number
  to: number
}

interface Match extends Range {
  /** What was matched, so that an excerpt with several terms is better than one with the same term again. */
  term: string
}

/** The matches in order. */
function matchesIn(text: string, terms: Terms): Match[] {
  const { fragments = [] } = terms
  return [...wordMatches(text, terms), ...symbolMatches(text, fragments), ...runMatches(text, fragments)].sort(
    (left, right) => left.from - right.from || left.to - right.to,
  )
}

interface Word extends Range {
  form: string
}

function wordMatches(text: string, { matches, phrases = [], form = String }: Terms): Match[] {
  const list: Match[] = []
  const words: Word[] = []
  for (const { 0: written, index: from } of text.matchAll(wordPattern)) {
    if (list.length >= maxMatches) break
    const word = { from, to: from + written.length, form: folded(written) }
    if (matches(word.form)) list.push({ from, to: word.to, term: word.form })
    if (phrases.length > 0) words.push({ ...word, form: form(word.form) })
  }
  return [...list, ...phrases.flatMap((phrase) => phraseMatches(words, phrase))]
}

/** A phrase has few words, so it is compared at each word of the text. */
function phraseMatches(words: readonly Word[], phrase: readonly string[]): Match[] {
  const matches: Match[] = []
  for (let at = 0; at + phrase.length <= words.length && matches.length < maxMatches; at += 1) {
    const [first, last] = [words[at], words[at + phrase.length - 1]]
    if (!first || !last || !startsAt(words, at, phrase)) continue
    matches.push({ from: first.from, to: last.to, term: phrase.join(' ') })
    at += phrase.length - 1
  }
  return matches
}

function startsAt(words: readonly Word[], at: number, phrase: readonly string[]): boolean {
  for (let index = 0; index < phrase.length; index += 1) if (words[at + index]?.form !== phrase[index]) return false
  return true
}

/** An emoji is always marked whole. */
function symbolMatches(text: string, fragments: readonly string[]): Match[] {
  const symbols = new Set(fragments.filter(isSymbol).map(plainSymbol))
  const matches: Match[] = []
  if (symbols.size === 0) return matches
  for (const { symbol, index, length } of eachSymbol(text)) {
    if (matches.length >= maxMatches) break
    if (symbolParts(symbol).some((part) => symbols.has(part)))
      matches.push({ from: index, to: index + length, term: symbol })
  }
  return matches
}

function runMatches(text: string, fragments: readonly string[]): Match[] {
  const matches: Match[] = []
  for (const run of fragments.filter((fragment) => !isSymbol(fragment))) {
    let count = 0
    for (let from = text.indexOf(run); from >= 0 && count < maxMatches; from = text.indexOf(run, from + 1)) {
      matches.push({ from, to: from + run.length, term: run })
      count += 1
    }
  }
  return matches
}

/** Where the first excerpt with the most distinct terms starts; undefined without matches. */
function bestStart(matches: readonly Match[]): number | undefined {
  const counts = new Map<string, number>()
  let best: { from: number; terms: number } | undefined
  let end = 0
  for (const { from, term } of matches) {
    for (let next = matches[end]; next && next.from < from + width - before; next = matches[end]) {
      counts.set(next.term, (counts.get(next.term) ?? 0) + 1)
      end += 1
    }
    if (counts.size > (best?.terms ?? 0)) best = { from, terms: counts.size }
    const left = (counts.get(term) ?? 1) - 1
    if (left === 0) counts.delete(term)
    else counts.set(term, left)
  }
  return best?.from
}

/** Joins ranges that touch. */
function merged(ranges: readonly Range[]): Range[] {
  const joined: Range[] = []
  for (const { from, to } of ranges) {
    const last = joined.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

/** Where a word begins after `at` (1) or ends before it (-1); `at` itself inside a long word. */
function cutNear(text: string, at: number, direction: 1 | -1): number {
  if (at <= 0 || at >= text.length) return at
  const isSpace = (place: number) => /\s/.test(text[place] ?? ' ')
  for (let place = at; Math.abs(place - at) <= maxShift; place += direction) {
    const [outer, inner] = direction === 1 ? [place - 1, place] : [place, place - 1]
    if (isSpace(outer) && !isSpace(inner)) return place
  }
  return at
}

const toHtml = (text: string): string => escapeHtml(text.toWellFormed())
