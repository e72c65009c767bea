import { second } from '../../time.ts'
import { nextRuns } from '../next-run.ts'
import { Schedule } from '../schema.ts'
import { markDays, takeDays } from './days.ts'
import {
  Draft,
  Notes,
  type NotUnderstood,
  type Reference,
  Refusal,
  type Scene,
  type Understood,
} from './draft.ts'
import { takeFrequency } from './frequency.ts'
import { readMoment, takeMinutes, takeSpan, takeStart } from './moment.ts'
import { normalised } from './normalise.ts'
import { checkDays, minInterval, type Parts, recurrence } from './recurrence.ts'
import { markTimes, takeTimes, takeWindow } from './times.ts'
import { takeZone } from './zone-words.ts'

export interface WordsContext extends Reference {
  /** `de`, `fr`, `es` or `en`, if known; otherwise the words decide. */
  locale?: string
}

/** Characters of a phrase. */
const maxLength = 500

/**
 * Parses a schedule in English or in common German, French and Spanish phrases; cron expressions and ISO
 * times are accepted unchanged. Pure: the same words, moment and zone give the same result. Uncertain words
 * are refused with a reason, or reported in `warnings`.
 */
export async function parseWords(text: string, context: WordsContext): Promise<Understood | NotUnderstood> {
  try {
    if (text.length > maxLength) throw new Refusal(`A schedule takes at most ${maxLength} characters`)
    const found = await read(text, context)
    const { warnings, alternatives, confidence } = found.notes
    return {
      ok: true,
      schedule: checkedSchedule(found, context),
      confidence: found.confidence ?? confidence,
      alternatives: alternatives.filter((other) => Schedule.safeParse(other).success),
      warnings,
    }
  } catch (thrown) {
    if (thrown instanceof Refusal)
      return { ok: false, reason: thrown.message, alternatives: thrown.alternatives }
    throw thrown
  }
}

/** Maximum words of a schedule, and of a text that is searched for one. */
const [maxWords, maxSearched] = [12, 40]

interface Split {
  /** The words of the schedule. */
  words: string
  read: Understood
  /** The text without them. */
  rest: string
}

/**
 * The longest schedule at the start or at the end of a text, or `anywhere` in it. Null if there is none. `translate`
 * turns words of a language that `parseWords` does not read into English.
 */
export async function splitWords(
  text: string,
  context: WordsContext,
  {
    anywhere = false,
    suits = (_: string): boolean => true,
    translate = (words: string): string => words,
  } = {},
): Promise<Split | null> {
  const all = text.split(/\s+/).filter(Boolean)
  for (let length = Math.min(maxWords, all.length); length > 0; length -= 1) {
    const last = all.length - length
    const starts = Array.from({ length: Math.min(last, maxSearched - length) + 1 }, (_, start) => start)
    for (const start of anywhere ? starts : new Set([0, last])) {
      const words = all
        .slice(start, start + length)
        .join(' ')
        .replace(/[,;:]$/, '')
      const read = suits(words) ? await parseWords(translate(words), context) : null
      if (read?.ok) return { words, read, rest: all.toSpliced(start, length).join(' ') }
    }
  }
  return null
}

interface Found {
  schedule: Schedule
  notes: Notes
  confidence?: number
}

async function read(text: string, context: WordsContext): Promise<Found> {
  const raw = readRaw(text, context.zone)
  if (raw) return { schedule: raw, notes: new Notes(), confidence: 1 }
  const words = normalised(text, context.locale)
  refuseUnsupported(words)
  if (words.includes(together)) return readTogether(words.split(together), context)
  for (const parts of splits(words)) await refuseTwo(parts, context)
  return readOne(words, context)
}

/** How `humanReadable` joins several cron expressions. */
const together = '; also '

async function readTogether(sentences: string[], context: WordsContext): Promise<Found> {
  const draft = new Draft(sentences.join(together))
  const notes = new Notes()
  const zone = takeZone(draft, notes) ?? context.zone
  const expressions: string[] = []
  for (const sentence of draft.text.split(together)) {
    const { schedule } = await readOne(sentence, { ...context, zone })
    if (schedule.type !== 'cron') throw new Refusal('These are two schedules: make a job for each')
    expressions.push(schedule.expression, ...(schedule.also ?? []))
  }
  const [expression = '', ...also] = expressions
  return { schedule: { type: 'cron', expression, also, timezone: zone }, notes }
}

/** Two schedules in one sentence need two jobs. */
async function refuseTwo(parts: readonly [string, string], context: WordsContext): Promise<void> {
  const read: Schedule[] = []
  for (const part of parts) {
    try {
      read.push(checkedSchedule(await readOne(part, context), context))
    } catch (thrown) {
      if (thrown instanceof Refusal) return
      throw thrown
    }
  }
  throw new Refusal('These are two schedules: make a job for each', read)
}

async function readOne(words: string, context: WordsContext): Promise<Found> {
  const notes = new Notes()
  const draft = new Draft(words)
  const zone = takeZone(draft, notes) ?? context.zone
  const scene: Scene = { now: context.now, zone, notes }
  const span = takeSpan(draft, scene)
  if (span) return finish(span, draft, scene)
  const start = await takeStart(draft, scene)
  const minutes = takeMinutes(draft)
  const clock = draft.take(/\bby the clock\b/) !== null
  draft.text = markTimes(draft.text)
  const dated = new Draft(draft.text)
  draft.text = markDays(draft.text)
  if (
    /\blast \[/.test(draft.text) &&
    !/month|\b(?:in|of) [a-z]/.test(draft.text) &&
    !/every|each/.test(draft.text)
  )
    throw new Refusal('That is in the past')
  const either = / or every /.test(draft.text)
  const window = takeWindow(draft, notes)
  if (/\b(?:until|till)\b|\bfor (?:the next )?\d+ (?:hours|days?|weeks?|months?|years?)\b/.test(draft.text))
    throw new Refusal('A schedule has no end date: leave it out, and set the end of the job instead')
  const again = / ?\b(?:every|each)\b/.test(draft.text)
  const days = takeDaysOf(draft)
  const frequency = takeFrequency(draft, notes)
  const parts: Parts = { frequency, days, window, start, minutes, clock, times: [] }
  const repeated = again || isRepeated(parts, dated.text)
  checkDays(days, repeated ? notes : new Notes())
  if (!repeated) return finish(await readMoment(dated, scene), dated, scene)
  parts.times = takeTimes(draft, notes)
  if (days.monthDays.length > 0 && days.weekdays && !either)
    throw new Refusal('A day of the month and a weekday cannot be combined: cron means either, not both')
  refuseRest(draft)
  return finish(recurrence(parts, scene), draft, scene)
}

/** "every other [2]": the weekday is parsed first, then the frequency. */
const takeDaysOf = (draft: Draft) => {
  const before = draft.text
  const alternate =
    /\b(?:every|each) (?:other|alternate|[2-9](?:st|nd|rd|th)) (?=\[)|\balternate (?=\[)/.exec(before)
  if (!alternate || /\] ?(?:of|in) (?:the|each|every|a) month/.test(before)) return takeDays(draft)
  draft.text = before.replace(alternate[0], '')
  const days = takeDays(draft)
  draft.text = `every ${/[2-9]/.exec(alternate[0])?.[0] ?? 2} weeks ${draft.text}`
  return days
}

function isRepeated({ frequency, days, window, minutes }: Parts, text: string): boolean {
  if (frequency.step || frequency.times || frequency.again || minutes || window) return true
  return days.plural || /\b(?:mornings|afternoons|evenings|nights|nightly)\b/.test(text)
}

function finish(schedule: Schedule, draft: Draft, { zone, notes }: Scene): Found {
  refuseRest(draft)
  return { schedule: { ...schedule, timezone: schedule.timezone ?? zone }, notes }
}

/** Words that no rule has parsed could change the meaning. */
function refuseRest(draft: Draft): void {
  const left = draft.rest.replace(/[[\]{}*?]/g, '').trim()
  if (left !== '') throw new Refusal(`"${left}" is not understood`)
}

function checkedSchedule({ schedule }: Found, reference: Reference): Schedule {
  const valid = Schedule.safeParse(schedule)
  if (!valid.success) throw new Refusal(`That is not a valid schedule: ${valid.error.issues[0]?.message}`)
  const problem = problemOf(valid.data, reference)
  if (problem) throw new Refusal(problem)
  return valid.data
}

/** Why a schedule cannot be kept: it has no due time, or too many. */
export function problemOf(schedule: Schedule, { now, zone }: Reference): string | null {
  const times = nextRuns(schedule, now, { zone, anchor: now, count: 50 })
  if (times.length === 0) return 'That is in the past'
  const close = times.some((at, index) => index > 0 && at - (times[index - 1] ?? 0) < minInterval * second)
  return close ? `More often than every ${minInterval} seconds is not possible` : null
}

/** A cron expression or an ISO time, unchanged. */
function readRaw(text: string, zone: string): Schedule | null {
  const words = text.trim().replace(/^(?:by )?(?:the )?cron(?: expression)?:? +/i, '')
  if (/^@[a-z]+$/i.test(words) || isCronLike(words))
    return validSchedule({ type: 'cron', expression: words, timezone: zone })
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i.test(words))
    return validSchedule({ type: 'at', datetime: words.toUpperCase().replace(' ', 'T'), timezone: zone })
  return null
}

function isCronLike(words: string): boolean {
  const fields = words.split(/\s+/)
  if (fields.length < 5 || fields.length > 6) return false
  return (
    fields.every((field) => /^[\w*/,#?-]+$/.test(field)) &&
    /^[\d*/,-]+$/.test(fields[0] ?? '') &&
    /^[\d*/,-]+$/.test(fields[1] ?? '')
  )
}

function validSchedule(candidate: unknown): Schedule {
  const result = Schedule.safeParse(candidate)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Refusal(`${issue?.path.join('.')} ${issue?.message}`)
}

/** Phrases that no schedule can express, with the reason. */
const unsupported: readonly [RegExp, string][] = [
  [/^\W*$/, 'The text does not say when'],
  [
    /\b(?:sun ?(?:set|rise|up|down)|dusk|dawn|twilight|golden hour|sonnenuntergang|sonnenaufgang|coucher du soleil|lever du soleil|puesta del? sol|amanecer|atardecer)\b/,
    'Sunrise and sunset depend on a location that hearthd does not know; give a time such as 18:30',
  ],
  [
    /\b(?:sometimes?|occasionally|now and (?:then|again)|from time to time|once in a while|regularly|often|frequently|rarely|soon|(?<!\d [a-z]+ )later|someday|eventually|whenever|asap|random(?:ly)?|manchmal|bald|gelegentlich|parfois|bientôt|a veces|pronto)\b/,
    'That does not name a time; say when, such as "every day at 9" or "in 2 hours"',
  ],
  [
    /\b(?:yesterday|ago|last (?:night|week|month|year|evening)|previous|gestern|hier|ayer)\b/,
    'That is in the past',
  ],
  [
    /\bbefore\b|\bafter (?!that)(?!\d)\p{L}+ (?:ends|is|has|finishes)/u,
    'That does not name a time; give one',
  ],
  [
    /\b(?:public |bank )?holidays?\b|\bfull moon\b|\bnew moon\b|\beaster\b/,
    'hearthd does not know the dates of those days; give the dates',
  ],
  [
    /\b(?:1st|last|first) (?:working|business|work) ?day\b|\b(?:1st|last) weekday\b/,
    'The first or last working day of a month is not possible in a schedule; a date or a weekday such as "last Friday of the month" can',
  ],
]

function refuseUnsupported(text: string): void {
  const found = unsupported.find(([pattern]) => pattern.test(text))
  if (found) throw new Refusal(found[1])
}

const joint = / ?[;,]? ?\b(?:and(?: also)?|plus|as well as|also|then)\b ?| ?[;,&] ?/g
const steps =
  /\b(?:every|each) (?:other |\d+ ?)?(?:seconds?|minutes?|hours?|weeks?|months?|years?)\b|\bevery \d+ days\b|\bevery (?:other )?day at\b|\b(?:hourly|daily|weekly|monthly|yearly)\b/g
const once = /\b(?:tomorrow|today|tonight|next \[|in \d+ (?:minutes?|hours?|days?|weeks?))/

/** Where a sentence may contain two schedules: both halves of each split. Empty for a single schedule. */
function splits(words: string): [string, string][] {
  if (!mayBeTwo(words)) return []
  return [...words.matchAll(joint)].map(({ 0: join, index }): [string, string] => [
    words.slice(0, index).trim(),
    words.slice(index + join.length).trim(),
  ])
}

/** Alternating times and days, as in "Monday at 9 and Friday at 17", or more than one frequency. */
function mayBeTwo(words: string): boolean {
  const marked = markDays(markTimes(words))
  const order = [...marked.matchAll(/[[{]/g)].map(([sign]) => sign).join('')
  const counts = marked.match(steps)?.length ?? 0
  if (/\{\[+\{/.test(order) || counts > 1) return true
  return (
    once.test(marked) &&
    (counts > 0 || /\bevery\b|\*\]/.test(marked)) &&
    !/\b(?:starting|from|beginning)\b/.test(marked)
  )
}
