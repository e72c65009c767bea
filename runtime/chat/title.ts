import { capitalized } from '../label.ts'

/** The title of an empty conversation. */
export const untitled = 'New conversation'

const maxLength = 60

/** Polite openings before the actual request. */
const politeness =
  /^(?:(?:hi|hello|hey|dear)\b[^,.!?:\n]{0,20}[,.!:]\s*|(?:please|kindly)\b[,:]?\s+|(?:can|could|would|will) you\b(?: please)?,?\s+|(?:i(?:'|’)?d like you to|i would like you to|i want you to|i need you to)\s+)/i

/** A title from the first line of the first message: without greeting and Markdown, cut at a word. */
export function titleFrom(text: string): string {
  const line =
    text
      .split('\n')
      .map(plain)
      .find((candidate) => candidate !== '') ?? ''
  const title = withoutPoliteness(line)
  if (title.length <= maxLength) return title || untitled
  const cut = title.slice(0, maxLength)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), maxLength / 2)).trimEnd()}…`
}

/** A line without Markdown; the fence of a code block becomes empty. */
const plain = (line: string): string =>
  line
    .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+)+/, '')
    .replace(/^\s*(?:```|~~~).*$/, '')
    .replace(/[*_`]{1,3}(\S(?:[^*_`]*\S)?)[*_`]{1,3}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()

function withoutPoliteness(line: string): string {
  const rest = line.replace(politeness, '')
  if (rest === '' || rest === line) return line
  return withoutPoliteness(capitalized(rest))
}

const maxWords = 6

/** A model's title on one line with at most six words; null if nothing is left. */
export function cleanTitle(said: string): string | null {
  const line =
    said
      .split('\n')
      .map(plain)
      .find((candidate) => candidate !== '') ?? ''
  const bare = line
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/^title\s*[:–-]\s*/i, '')
    .replace(/^["'“”‘’«»„]+|["'“”‘’«»]+$/g, '')
    .replace(/(?<![.,;:!\s])[.,;:!\s]+$/, '')
    .trim()
  const title = bare
    .split(' ')
    .slice(0, maxWords)
    .join(' ')
    .slice(0, maxLength)
    .replace(/(?<![.,;:\s])[.,;:\s]+$/, '')
  return title.isWellFormed() && title !== '' ? title : null
}
