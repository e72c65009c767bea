import { isTimeZone } from '../../../time.ts'
import { zoneOf } from '../../../zones.ts'
import { calculate, equation } from '../calculate.ts'
import { textField } from '../conversation.ts'
import {
  type Day,
  dayNumber,
  findHoliday,
  longDay,
  readDates,
  readDay,
  shortDay,
  type WallClock,
  wallClock,
  weekdayOf,
  weekOf,
  zoneOffset,
} from '../dates.ts'
import { capitalise, plural } from '../text.ts'
import {
  type Call,
  call,
  grammar,
  type Intent,
  type IntentMatch,
  type Outcome,
  type Scene,
  type Script,
  type Slots,
  type Step,
  say,
  speak,
} from '../types.ts'

/** Dates, telephone numbers and versions look like sums. */
const NO_SUM = /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\+?\d{2,}(?:[ -]\d{2,}){2,})$/
export const CURRENCY =
  /(?<!\p{L})(?:usd|eur|gbp|jpy|chf|cny|inr|doll[ae]r[is]?|d[oó]lar(?:es)?|euros?|yen|pounds?|francs?|bitcoins?|btc|eth)(?!\p{L})|ドル|ユーロ|円|美元|欧元|日元|人民币|[$€£¥]/iu

export const calculation: Intent = {
  title: 'Calculate and convert',
  tools: [],
  examples: ["what's 15% of 80", '5 miles in km'],
  rules: grammar`
    @ 0.7
      (calculate|compute|evaluate|work out|do the maths?|convert)\b\s*(?<rest>.*)
      // Numbers and signs only, yet not a calculation: a parenthesis is missing, or an operand.
      (?=[^\-+*/^%]*\d)(?<rest>[\d\s.,()]+[\-+*/^%][\d\s.,()+*/^%\-]*)
  `,
  refine(match, text): IntentMatch | null {
    if (NO_SUM.test(text)) return null
    const [from = '', to = ''] = text.split(/ (?:in|to|into) (?=(?:the )?\S+(?: \S+)?$)/)
    if (/\d/.test(from) && CURRENCY.test(from) && CURRENCY.test(to))
      return { score: 0.93, slots: { text, rest: text } }
    const result = calculate(text)
    if (result && (result.ok || /\d/.test(text))) return { score: 0.96, slots: { text } }
    return match ? { ...match, slots: { ...match.slots, text } } : null
  },
  async *run(slots) {
    const text = answer(slots)
    yield say(text)
    return { title: 'the result', text }
  },
}

function answer({ text = '', rest }: Slots): string {
  const result = rest && CURRENCY.test(rest) ? null : calculate(text)
  if (result) return result.ok ? equation(result) : `I cannot compute ${result.read}: ${result.reason}.`
  if (!rest) return 'What should I calculate?'
  if (CURRENCY.test(text))
    return 'I know no exchange rates: they change, and I have no source for them. I can read a page that lists them if you give me its address.'
  return `I could not read "${rest}" as a calculation. I take + - * / ^ %, parentheses, sqrt, percentages such as "15% of 80", and units such as "5 miles in km".`
}

const UNIT = '(?<unit>days?|weeks?|months?|sleeps|nights|long|many days|many weeks)'
const FALL = '(?: (?:be|fall|fell|falls)(?: on)?)?'
const COUNT = '(?:an? |\\d+ |one |two |three |four |five |six |seven |eight |nine |ten |twelve )'
const UNIT_DAYS: Record<string, number> = { week: 7, month: 30.436875 }

export const dateQuestion: Intent = {
  title: 'Dates',
  tools: [],
  examples: ['what day is 3 March 2027', 'how many days until Christmas'],
  rules: grammar`
    @ 0.75
      (what('s| is|s) )?(?<date>tomorrow|yesterday)'?s (date|day)
      (?<date>today|tomorrow|yesterday|(the )?day (after tomorrow|before yesterday)|in ${COUNT}(days?|weeks?|months?|years?)|\d+ (days?|weeks?|months?|years?) (ago|from (now|today|tomorrow)|(before|after|from) .+)|next (mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d{2}-\d{2})
    @ 0.9
      (how many )?${UNIT}( are( there)?| is it)? (between|from) (?!now|today)(?<date>.+?) (and|to|until|till) (?<other>.+)
      (how many |number of |count |how )?${UNIT}( are( there)?| is it| is there| has it been| have passed| were there)?( left)?( from (now|today))? (?<way>until|till|to|before|since|after) (?<date>.+)
      how (many )?${UNIT} (?<way>ago) (was|is|were) (?<date>.+)
      (?<holiday>when (is|was|are)) (?<date>.+)
    @ 0.88
      (on )?(what|which) day of the week (is|(?<past>was|did)|will be) (?<date>.+?)${FALL}
      (what|which)( day| weekday)( of the week)? (is|(?<past>was|did)|will|does|are|would)( it)?( be)? (on )?(?<date>.+?)${FALL}
      (what|which)('s| is|(?<past> was)| will)?( be)?( the)? date( is| will)?( it)?( be)? (?<date>(?!today|now|it$).+)
  `,
  accepts: ({ holiday, date = '' }, scene) => !holiday || findHoliday(date, today(scene)) !== undefined,
  async *run(slots, scene) {
    return yield* speak(await tellDate(slots, scene))
  },
}

async function tellDate({ date = '', other = '', unit, way, past }: Slots, scene: Scene): Promise<string> {
  const ahead = way ? /until|till|to|before/i.test(way) : !past && !other
  const day = await readDay(date, scene, ahead)
  const end = other ? await readDay(other, scene) : today(scene)
  if (!day || !end)
    return `I could not read a date in "${day ? other : date}". Write it as in "3 March 2027" or "in 3 weeks".`
  if (other) return `From ${shortDay(day)} to ${shortDay(end)} it is ${distance(day, end, unit)}.`
  const days = dayNumber(day) - dayNumber(end)
  // A holiday or a relative date is repeated in the answer; a full date is not.
  const named = /\d{4}|^\d|^(?:it|today)$/i.test(date) ? '' : `${date.replace(/(?<![?.!])[?.!]+$/, '')}: `
  if (!unit) return `${capitalise(named)}${shortDay(day)} ${days < 0 ? 'was' : 'is'} a ${weekdayOf(day)}.`
  if (days === 0) return `That is today, ${longDay(day)}.`
  return `${capitalise(distance(end, day, unit))} ${days > 0 ? 'until' : 'since'} ${longDay(day)}.`
}

const today = ({ now, timezone }: Scene): Day => wallClock(now, timezone)

function distance(from: Day, to: Day, unit = 'days'): string {
  const days = Math.abs(dayNumber(to) - dayNumber(from))
  const single = unit.toLowerCase().replace(/^many |s$/g, '')
  const size = UNIT_DAYS[single]
  if (!size || days < size) return plural(days, 'day')
  const whole = Math.round((days / size) * 10) / 10
  return `${single === 'month' ? 'about ' : ''}${plural(whole, single)} (${plural(days, 'day')})`
}

const PLACE = '(?: (?:in|at|for|over in) (?<place>.+?))?(?: right)?(?: now| currently| at the moment)?'
const NOW = '(?: right)?(?: now| currently| at the moment)?'
const TELL = '(?:(?:do you )?(?:know|have|tell(?: me| us)?|give me|show me|say) )?'

export const time: Intent = {
  title: 'Time and date',
  tools: [],
  examples: ['what time is it in Tokyo', "what's the date"],
  rules: grammar`
    @ 0.94; kind: difference
      (what('s| is) the |the )?time (zone )?difference (between|from) (?<first>.+?) (and|to) (?<second>.+)
      how (many hours|far) (ahead|behind|apart) (is|are) (?<first>.+?) (of|from|and) (?<second>.+)
    @ 0.94; kind: later
      what time (will it be|is it|was it|will that be)( be)? (?<when>in .*\b(hours?|minutes?|mins?)|.+\b(hours?|minutes?|mins?) (ago|from now|later))
    @ 0.93; kind: time
      ${TELL}(what('s| is|'re)?( the)?( current| local| exact)? time( is it| it is| do we have)?|(the )?(current |local |exact )?time|how late is it|clock)${NOW}${PLACE}
    @ 0.93; kind: week
      ${TELL}(what|which)( calendar| iso)? week( number)?( of the year)?( is (it|this)| are we in| do we have)?( now| today)?|(the )?(current )?(calendar )?week( number)?
    @ 0.93; kind: date
      ${TELL}(what('s| is)?( the| today'?s)?( current)? date( is it| it is)?|(the |today'?s )?(current )?date|(what|which) (day|date|weekday|month|year|week ?day)( of the week)?( is it| it is| is today| is this| do we have)|what('s| is) today|is (it|today) (an? )?(mon|tues|wednes|thurs|fri|satur|sun)day( today)?)( today| now)?${PLACE}
  `,
  accepts: ({ place = '' }) =>
    !/\d|\b(?:hours?|days?|weeks?|months?|years?)$|^(?:an? |the (?:morning|afternoon|evening))/i.test(place),
  async *run({ kind, first = '', second = '', when = '', place = '' }, scene) {
    if (kind === 'difference') return yield* speak(difference(first, second, scene.now))
    if (kind === 'later') return yield* speak(await later(when, scene))
    if (kind === 'week') return yield* speak(`It is week ${weekOf(today(scene))} (ISO 8601).`)
    const here = /^(?:now|today|here|my (?:city|area|zone|place))$/i.test(place) ? '' : place
    for (const one of here.split(/ ?, ?(?:and )?| and /)) yield* tellTime(one.trim(), kind === 'date', scene)
  },
}

async function* tellTime(place: string, date: boolean, scene: Scene): Script {
  const zone = zoneOf(place)
  if (place !== '' && !zone)
    return yield* speak(
      `I do not know the time zone of "${place}".\nWhich time zone do you mean (for example Europe/Berlin)?`,
    )
  const clock = yield* readClock(zone, scene)
  const where = `${place && ` in ${place}`} (${clock.timezone})`
  return yield* speak(
    date ? `Today is ${longDay(clock)}${where}.` : `It is ${clock.time} on ${longDay(clock)}${where}.`,
  )
}

/** The current wall-clock time, from the time tool or, if it is unavailable, from the time of the request. */
export async function* readClock(
  zone: string | undefined,
  { tools, now, timezone }: Scene,
  failure?: Call['failure'],
): AsyncGenerator<Step, WallClock, Outcome> {
  if (!tools.has('time')) return wallClock(now, zone ?? timezone)
  const { output } = yield call('time', zone ? { timezone: zone } : {}, failure)
  const read = textField(output, 'timezone')
  return wallClock(Date.parse(textField(output, 'iso')) || now, isTimeZone(read) ? read : timezone)
}

function difference(first: string, second: string, now: number): string {
  const [from, to] = [zoneOf(first), zoneOf(second)]
  if (!from || !to)
    return `I do not know the time zone of "${from ? second : first}". Name a city or a zone such as Europe/Berlin.`
  const minutes = zoneOffset(now, to) - zoneOffset(now, from)
  const hours = plural(Math.abs(minutes) / 60, 'hour')
  if (minutes === 0) return `${first} and ${second} have the same time now.`
  return `${second} is ${hours} ${minutes > 0 ? 'ahead of' : 'behind'} ${first} now.`
}

async function later(words: string, scene: Scene): Promise<string> {
  const [date] = await readDates(words, scene)
  if (!date) return `I could not read a time in "${words}".`
  const clock = wallClock(date.instant, scene.timezone)
  return `${words}: ${clock.time} on ${longDay(clock)} (${clock.timezone}).`
}
