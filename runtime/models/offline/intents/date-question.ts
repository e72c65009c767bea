import { type Day, dayNumber, longDay, shortDay, wallClock, weekdayOf } from '../dates/clock.ts'
import { findHoliday } from '../dates/holidays.ts'
import { readDay } from '../dates/read.ts'
import { capitalise, plural } from '../text.ts'
import { type Intent, matchAny, type Scene, say } from '../types.ts'

const SPAN = '(?<unit>days?|weeks?|months?|sleeps|nights|long|many days|many weeks)'
const COUNTS: readonly RegExp[] = [
  new RegExp(
    `^(?:how many |number of |count )?${SPAN}(?: are(?: there)?| is it| is there| has it been| have passed| were there)?(?: left)?(?: from (?:now|today))? (?<way>until|till|to|before|since|after) (?<date>.+)$`,
    'i',
  ),
  /^how (?<unit>long)(?: is it| has it been)? (?<way>until|till|to|before|since) (?<date>.+)$/i,
  /^how (?:many )?(?<unit>days?|weeks?|months?) (?<way>ago) (?:was|is|were) (?<date>.+)$/i,
]
const BETWEEN =
  /^(?:how many )?(?<unit>days?|weeks?|months?|long)(?: are(?: there)?| is it)? (?:between|from) (?<date>.+?) (?:and|to|until|till) (?<other>.+)$/i
const NAMES: readonly RegExp[] = [
  /^(?:what|which)(?: day| weekday)(?: of the week)? (?:is|was|will|does|did|are|would)(?: it)?(?: be)? (?:on )?(?<date>.+?)(?: (?:be|fall|fell|falls)(?: on)?)?$/i,
  /^(?:what|which)(?:'s| is| was| will)?(?: be)?(?: the)? date(?: is| was| will)?(?: it)?(?: be)? (?<date>(?!today|now|it$).+)$/i,
  /^(?:on )?what day of the week (?:is|was|will be|did) (?<date>.+?)(?: fall(?: on)?)?$/i,
]
const BARE =
  /^(?<date>today|tomorrow|yesterday|(?:the )?day (?:after tomorrow|before yesterday)|in (?:an? |\d+ |one |two |three |four |five |six |seven |eight |nine |ten |twelve )(?:days?|weeks?|months?|years?)|\d+ (?:days?|weeks?|months?|years?) (?:ago|from (?:now|today|tomorrow)|(?:before|after|from) .+)|next (?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d{2}-\d{2})$/i
const UNIT_DAYS: Record<string, number> = { week: 7, month: 30.436875 }

export const dateQuestion: Intent = {
  name: 'date',
  title: 'Dates',
  tools: [],
  examples: ['what day is 3 March 2027', 'how many days until Christmas'],
  match(text, scene) {
    const bare = matchAny(text, 0.75, [BARE])
    if (bare) return bare
    const counted = matchAny(text, 0.9, [BETWEEN, ...COUNTS])
    if (counted) return counted
    const when = /^when (?:is|was|are) (?<date>.+)$/i.exec(text)?.groups?.date
    if (when && findHoliday(when, today(scene))) return { score: 0.9, slots: { date: when } }
    return matchAny(text, 0.88, NAMES)
  },
  async *run({ slots }, scene) {
    yield say(await answer(slots, scene))
    return undefined
  },
}

async function answer(
  { date = '', other, unit, way }: Record<string, string>,
  scene: Scene,
): Promise<string> {
  const first = await readOne(date, scene, way)
  if (!first) return unread(date)
  if (other) {
    const second = await readOne(other, scene)
    return second
      ? `From ${shortDay(first)} to ${shortDay(second)} it is ${distance(first, second, unit)}.`
      : unread(other)
  }
  return unit
    ? untilOrSince(first, unit, today(scene))
    : `${capitalise(named(date))}${shortDay(first)} ${verb(first, scene)} a ${weekdayOf(first)}.`
}

async function readOne(text: string, scene: Scene, way = ''): Promise<Day | undefined> {
  const { year, month } = today(scene)
  const clean = text.replace(/^(?:the )?(?:start|beginning) of /i, '')
  if (/^(?:the )?end of (?:the|this) year$/i.test(clean)) return { year, month: 12, day: 31 }
  if (/^(?:the )?end of (?:the|this) month$/i.test(clean))
    return { year, month, day: new Date(Date.UTC(year, month, 0)).getUTCDate() }
  return (await readDay(clean, scene, /until|till|to|before/i.test(way)))?.day
}

function untilOrSince(day: Day, unit: string, now: Day): string {
  const difference = dayNumber(day) - dayNumber(now)
  if (difference === 0) return `That is today, ${longDay(day)}.`
  if (difference > 0) return `${capitalise(distance(now, day, unit))} until ${longDay(day)}.`
  return `${capitalise(distance(day, now, unit))} since ${longDay(day)}.`
}

function distance(from: Day, to: Day, unit = 'days'): string {
  const days = Math.abs(dayNumber(to) - dayNumber(from))
  const single = unit
    .replace(/^many /, '')
    .replace(/s$/, '')
    .toLowerCase()
  const size = UNIT_DAYS[single]
  if (!size || days < size) return plural(days, 'day')
  const whole = Math.round((days / size) * 10) / 10
  return `${single === 'month' ? 'about ' : ''}${plural(whole, single)} (${plural(days, 'day')})`
}

/** A holiday or a relative date is repeated, a date that is written out is not. */
function named(text: string): string {
  return /\d{4}|^\d/.test(text) || /^(?:it|today)$/i.test(text) ? '' : `${text.replace(/[?.!]+$/, '')}: `
}

function verb(day: Day, scene: Scene): string {
  return dayNumber(day) < dayNumber(today(scene)) ? 'was' : 'is'
}

function today(scene: Scene): Day {
  return wallClock(scene.now, scene.timezone)
}

function unread(text: string): string {
  return `I could not read a date in "${text}". Write it as in "3 March 2027" or "in 3 weeks".`
}
