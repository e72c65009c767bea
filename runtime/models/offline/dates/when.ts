import { type Reference, readDates } from './read.ts'

export interface When {
  /** The user's own words for the time. */
  words: string
  /** What is left of the text without them. */
  rest: string
  recurring: boolean
  /** Milliseconds until then, when it is a single time. */
  delay: number | undefined
}

const NUMBER =
  '(?:\\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|few|couple of)'
const WEEKDAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?'
const PART =
  '(?:weekdays?|workdays?|work days?|weekends?|mornings?|afternoons?|evenings?|nights?|noons?|midnights?)'
const UNIT = `(?:(?:other|second|third|single|${NUMBER})\\s+)?(?:minutes?|mins?|hours?|days?|weeks?|months?|quarters?|years?|${PART}|${WEEKDAY}(?:\\s+${PART})?)`
const TIME =
  "(?:\\d{1,2}(?:[:.]\\d{2})?(?:\\s*(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock|h|uhr))?|noon|midnight|sunrise|sunset)"
const AT = `(?:,?\\s+(?:at|by|around)\\s+${TIME}(?:(?:\\s*,\\s*|\\s+and\\s+)${TIME})*)`
const ON = `(?:,?\\s+on\\s+(?:the\\s+)?(?:${WEEKDAY}(?:(?:\\s*,\\s*|\\s+and\\s+)${WEEKDAY})*|\\d{1,2}(?:st|nd|rd|th)?(?: of (?:the|each|every) month)?|${PART}))`
const RANGE = `(?:,?\\s+(?:between|from)\\s+${TIME}\\s+(?:and|to|until|till)\\s+${TIME})`
const SPAN = `(?:,?\\s+in the (?:morning|afternoon|evening)s?|\\s+starting (?:today|tomorrow|now|${WEEKDAY}))`
const TAIL = `(?:${AT}|${ON}|${RANGE}|${SPAN}|,?\\s+${WEEKDAY}(?=\\s+at\\b))*`
const HEAD = [
  `(?:on\\s+)?(?:every|each)\\s+${UNIT}(?:(?:\\s*,\\s*|\\s+and\\s+)${WEEKDAY})*`,
  '(?<!\\b(?:the|an?|my|our|this|workflow|project|called|named|file)\\s)(?:daily|hourly|weekly|monthly|yearly|nightly|annually|quarterly)',
  '(?:once|twice|three times|four times|\\d+ times) (?:a|per|every|each) (?:hour|day|week|month|year)',
  `(?:on\\s+)?(?:the\\s+)?(?:first|second|third|fourth|last|1st|2nd|3rd)\\s+(?:day|${WEEKDAY}|weekday|workday)\\s+(?:of|in)\\s+(?:the|each|every)\\s+(?:month|year|week)`,
  '(?:on\\s+)?the\\s+\\d{1,2}(?:st|nd|rd|th)\\s+of\\s+(?:the|each|every)\\s+(?:month|year)',
  `on\\s+(?:weekdays|workdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days)`,
].join('|')
const RECURRING = new RegExp(`(?:\\bat\\s+${TIME},?\\s+)?\\b(?:${HEAD})\\b${TAIL}`, 'i')

/** chrono reads only its last word. */
const AFTER_TOMORROW = new RegExp(
  `\\b(?:the )?day after tomorrow(?: (?:morning|afternoon|evening))?${AT}?`,
  'i',
)
/** In milliseconds; the time of day is left to the words. */
const TWO_DAYS = 172_800_000

/** Finds the words for a time in a request and takes them out. Null when there are none. */
export async function splitWhen(text: string, reference: Reference): Promise<When | null> {
  const recurring = RECURRING.exec(text)
  if (recurring) return cut(text, recurring.index, recurring[0], undefined)
  const later = AFTER_TOMORROW.exec(text)
  if (later) return cut(text, later.index, later[0], TWO_DAYS)
  const dates = (await readDates(text, reference, true)).filter((date) => !isNoise(date.words))
  const best = dates.find((date) => date.index < 3) ?? dates.at(-1)
  if (!best) return null
  return cut(
    text,
    best.index,
    text.slice(best.index, best.index + best.words.length),
    best.instant - reference.now,
  )
}

/** chrono reads "in half an hour" well but takes "may", "sat" and "second" for dates. */
function isNoise(words: string): boolean {
  return /^(?:may|sat|sun|mar|march|second|now|the)$/i.test(words)
}

function cut(text: string, start: number, found: string, delay: number | undefined): When {
  const before = text.slice(0, start).replace(/[\s,]*\b(?:on|at|by|from|for)?\s*$/i, '')
  const lead = /\b(on|at|by|this)\s*$/i.exec(text.slice(0, start))?.[0].trim()
  const after = text.slice(start + found.length).replace(/^[\s,:;–-]+/, '')
  const words =
    `${lead && delay !== undefined && !/^(?:on|at|by|in|this)\b/i.test(found) ? `${lead} ` : ''}${found.trim()}`.replace(
      /^for (?=\d|an? |half )/i,
      'in ',
    )
  const rest = `${before} ${after}`.trim().replace(/^,\s*|[\s,]+$/g, '')
  return { words, rest, recurring: delay === undefined, delay }
}

/** Whether a text names a repeating time, such as "every weekday at 9". */
export function hasRecurrence(text: string): boolean {
  return RECURRING.test(text)
}
