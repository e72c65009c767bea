import { splitWords } from '../../scheduler/words/parse.ts'
import { type Reference, readDates } from './dates.ts'
import { gloss, isHan } from './gloss.ts'
import type { Language } from './languages.ts'

export interface When {
  /** The user's own words for the time. */
  words: string
  /** What is left of the text without them. */
  rest: string
  /** Milliseconds until then; undefined when it repeats. */
  delay?: number
}

const r = String.raw
const NUMBER =
  '(?:\\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|few|couple of)'
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?'
const PART = '(?:(?:week|work ?)days?|weekends?|mornings?|afternoons?|evenings?|nights?|noons?|midnights?)'
const UNIT = r`(?:(?:other|second|third|single|${NUMBER})\s+)?(?:minutes?|mins?|hours?|days?|weeks?|months?|quarters?|years?|${PART}|${WEEKDAY}(?:\s+${PART})?)`
const TIME = r`(?:\d{1,2}(?:[:.]\d{2})?(?:\s*(?:am|pm|a\.m\.|p\.m\.|o'clock|h|uhr))?|noon|midnight|sunrise|sunset)`
const AT = r`(?:,?\s+(?:at|by|around)\s+${TIME}(?:(?:\s*,\s*|\s+and\s+)${TIME})*)`
const WEEKDAYS = r`${WEEKDAY}(?:(?:\s*,\s*|\s+and\s+)${WEEKDAY})*`
const ON = r`(?:,?\s+on\s+(?:the\s+)?(?:${WEEKDAYS}|\d{1,2}(?:st|nd|rd|th)?(?: of (?:the|each|every) month)?|${PART}))`
const RANGE = r`(?:,?\s+(?:between|from)\s+${TIME}\s+(?:and|to|until|till)\s+${TIME})`
const SPAN = r`(?:,?\s+in the (?:morning|afternoon|evening)s?|\s+starting (?:today|tomorrow|now|${WEEKDAY}))`
const TAIL = r`(?:${AT}|${ON}|${RANGE}|${SPAN}|,?\s+${WEEKDAY}(?=\s+at\b))*`
const HEAD = [
  r`(?:on\s+)?(?:every|each)\s+${UNIT}(?:(?:\s*,\s*|\s+and\s+)${WEEKDAY})*`,
  r`(?<!\b(?:the|an?|my|our|this|workflow|project|called|named|file)\s)(?:daily|hourly|weekly|monthly|yearly|nightly|annually|quarterly)`,
  r`(?:once|twice|three times|four times|\d+ times) (?:a|per|every|each) (?:hour|day|week|month|year)`,
  r`(?:on\s+)?(?:the\s+)?(?:first|second|third|fourth|last|1st|2nd|3rd)\s+(?:day|${WEEKDAY}|weekday|workday)\s+(?:of|in)\s+(?:the|each|every)\s+(?:month|year|week)`,
  r`(?:on\s+)?the\s+\d{1,2}(?:st|nd|rd|th)\s+of\s+(?:the|each|every)\s+(?:month|year)`,
  r`on\s+(?:weekdays|workdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days)`,
].join('|')
const RECURRING = new RegExp(r`(?:\bat\s+${TIME},?\s+)?\b(?:${HEAD})\b${TAIL}`, 'i')

/** Days that chrono does not parse. */
const AFTER_TOMORROW = new RegExp(
  r`\b(?:the )?day after tomorrow(?: (?:morning|afternoon|evening))?${AT}?`,
  'i',
)
const DAY_OF_MONTH = new RegExp(r`\b(?:on )?the \d{1,2}(?:st|nd|rd|th)(?! of\b)${AT}?`, 'i')
/** In milliseconds; the exact time is left to the words. */
const DAY = 86_400_000

/** Finds the words for a time in an English request and takes them out. Null when there are none. */
export async function splitWhen(text: string, reference: Reference): Promise<When | null> {
  const recurring = RECURRING.exec(text)
  if (recurring) return cut(text, recurring.index, recurring[0])
  const later = AFTER_TOMORROW.exec(text) ?? DAY_OF_MONTH.exec(text)
  if (later) return cut(text, later.index, later[0], 2 * DAY)
  const dates = (await readDates(text, reference, true)).filter((date) => !NOISE.test(date.words))
  const best = dates.find((date) => date.index < 3) ?? dates.at(-1)
  return best ? cut(text, best.index, best.words, best.instant - reference.now) : null
}

/** Words that chrono mistakes for dates. */
const NOISE = /^(?:may|sat|sun|mar|march|second|now|the)$/i

function cut(text: string, start: number, found: string, delay?: number): When {
  const before = text.slice(0, start)
  const lead = delay === undefined ? '' : (/\b(?:on|at|by|this) *$/i.exec(before)?.[0].trim() ?? '')
  const after = text.slice(start + found.length).replace(/^[\s,:;–-]+/, '')
  const rest = `${before
    .trimEnd()
    .replace(/\b(?:on|at|by|from|for)$/i, '')
    .replace(/(?<![\s,])[\s,]+$/, '')} ${after}`.replace(/^[\s,]+|(?<![\s,])[\s,]+$/g, '')
  const named = lead && !/^(?:on|at|by|in|this)\b/i.test(found) ? `${lead} ${found.trim()}` : found.trim()
  const words = named.replace(/^for (?=\d|an? |half )/i, 'in ')
  return delay === undefined ? { words, rest } : { words, rest, delay }
}

/** Whether a text names a repeating time, such as "every weekday at 9". */
export const hasRecurrence = (text: string): boolean => RECURRING.test(text)

/** A word that leads to another does not end a time, though readers of schedules accept it. */
const LEADS_ON =
  /(?:^|\s)(?:an|daran|dass|d[aeiu][sren]m?|dem|eine?n?|an?|de|du|des|les?|la|à|que|una?|el|l[oa]s|un|une|di|che|o|i|os|do|da|para|aan|om|dat|te|het|が|を|、|要|我),?$/iu

/** Languages whose times `schedule_job` reads itself; those of the others are given to it in English. */
const READ_BY_SCHEDULER = ['de', 'fr', 'es']

/** The longest run of words that names a time in a language. Null when there is none. */
export async function splitSpoken(
  text: string,
  { now, timezone }: Reference,
  language: Language,
): Promise<When | null> {
  const translate = (words: string): string =>
    READ_BY_SCHEDULER.includes(language.code) ? words : gloss(words, language)
  const segments = new Intl.Segmenter(language.code, { granularity: 'word' })
  const spaced = isHan(language)
    ? Array.from(segments.segment(text), ({ segment }) => segment).join(' ')
    : text
  const suits = (words: string): boolean => !LEADS_ON.test(words)
  const found = await splitWords(spaced, { now, zone: timezone }, { anywhere: true, suits, translate })
  if (!found) return null
  const rest = isHan(language) ? found.rest.replace(/(?<=[^\p{ASCII}]) | (?=[^\p{ASCII}])/gu, '') : found.rest
  return { words: translate(found.words), rest }
}
