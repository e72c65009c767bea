import { normalised } from '../../scheduler/words/normalise.ts'
import type { Language } from './languages.ts'

type Entry = [words: RegExp, english: string]

/** Compiled when a language is first used. */
const compiled = new Map<string, Entry[]>()

export const isHan = ({ code }: Language): boolean => code === 'ja' || code === 'zh'

/** The words for times, holidays and units in English; the others are kept. */
export function gloss(text: string, language: Language): string {
  const entries = compiled.get(language.code) ?? entriesOf(language)
  compiled.set(language.code, entries)
  const plain = isHan(language) ? text.normalize('NFKC').replace(/\s+/g, '') : text
  return entries
    .reduce((rest, [words, english]) => rest.replace(words, english), plain)
    .replace(/\s+/g, ' ')
    .trim()
}

/** A date or a quantity in English, as far as its words are known. */
export const inEnglish = (text: string, language: Language): string =>
  normalised(gloss(text, language).replace(/(\d)\.(?= \p{L})/gu, '$1'), language.code)

function entriesOf(language: Language): Entry[] {
  const written = language.gloss.split('; ').map((entry): [string, string] => {
    const sign = entry.lastIndexOf('=')
    return [entry.slice(0, sign), entry.slice(sign + 1)]
  })
  const [days, months] = [
    names(language, { weekday: 'long' }, 7, (index) => Date.UTC(2026, 0, 5 + index)),
    // December first: in Chinese and Japanese the names of January and February end those of November and December.
    names(language, { month: isHan(language) ? 'short' : 'long' }, 12, (index) =>
      Date.UTC(2026, 11 - index, 1),
    ),
  ]
  return [...written, ...days, ...months].map(([words, english]) => [
    new RegExp(isHan(language) ? words : `(?<![\\p{L}\\d])(?:${words})(?![\\p{L}\\d])`, 'giu'),
    english,
  ])
}

function names(
  { code }: Language,
  options: Intl.DateTimeFormatOptions,
  count: number,
  dateOf: (index: number) => number,
): [string, string][] {
  const [own, english] = [code, 'en'].map(
    (locale) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }),
  )
  return Array.from({ length: count }, (_, index) => {
    const date = dateOf(index)
    return [own?.format(date).replace('-feira', '(-feira)?') ?? '', `${english?.format(date)} `]
  })
}
