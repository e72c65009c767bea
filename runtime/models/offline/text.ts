import { patternsOf } from '../../english/patterns.ts'
import cues from './cues.json' with { type: 'json' }

/** What surrounds, joins and refers, in requests and goals. */
export const cue = patternsOf(cues, 'iu')

/** Straight quotes, single spaces, no outer white space. Line breaks are kept. */
export const tidy = (text: string): string =>
  text
    .replace(/[‘’‚`´]/g, "'")
    .replace(/[“”„]/g, '"')
    .replace(/[^\S\n]+/g, ' ')
    .trim()

/** The request without greeting, politeness and closing marks; the text itself when nothing else is in it. */
export function bare(text: string): string {
  let rest = text
  for (let previous = ''; previous !== rest; ) {
    previous = rest
    rest = rest.replace(cue('opening'), '')
  }
  rest = rest.replace(/^(what|who|where|when|how)s\b/i, "$1's")
  const trimmed = rest.replace(cue('closing_marks'), '').replace(cue('closing'), '').trim()
  return trimmed === '' ? text.replace(/(?<![\s.!?,;])[\s.!?,;]+$/, '').trim() || text.trim() : trimmed
}

export const unquote = (text: string): string => text.trim().replace(/^(["'])([\s\S]*)\1$/, '$2')
export const lowerFirst = (text: string): string =>
  /^(?:I\b|[A-Z]{2})/.test(text) ? text : text.slice(0, 1).toLowerCase() + text.slice(1)
export const ended = (text: string): string => (/[.!?。]$/.test(text) ? text : `${text}.`)
/** "Saturday, 21 November 2026" */
export const longDate = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full' }).format(at).replace(/,? /, ', ')
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`
export const joinList = (items: readonly string[], last = 'and'): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`
/** As a quotation, so that no line of foreign text can pass for one of the model's own. */
export const quoted = (text: string): string => text.replace(/^/gm, '> ')

const SECOND_PERSON: Record<string, string> = {
  i: 'you',
  me: 'you',
  my: 'your',
  mine: 'yours',
  am: 'are',
  "i'm": "you're",
  "i've": "you've",
  "i'll": "you'll",
}

/** Rephrases the owner's statement for the owner: "I like my tea" becomes "you like your tea". */
export const toSecondPerson = (text: string): string =>
  text
    .replace(/(?<!\p{L})I was\b/giu, 'you were')
    .replace(
      /(?<![\p{L}'])(?:I'm|I've|I'll|I|me|my|mine|am)(?![\p{L}']|\.\w)/giu,
      (word) => SECOND_PERSON[word.toLowerCase()] ?? word,
    )
