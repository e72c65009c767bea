import { nextRuns } from '../../schedules/next-run.ts'
import { Schedule } from '../../schedules/schedule.ts'
import { second } from '../../time.ts'
import { markDays, takeDays } from './days.ts'
import {
  Draft,
  Notes,
  type NotUnderstood,
  type Reference,
  Refusal,
  type Scene,
  type Understood,
  UnknownWords,
} from './draft.ts'
import { takeFrequency } from './frequency.ts'
import grammar from './grammar.json' with { type: 'json' }
import { normalised, phrase } from './grammar.ts'
import { readMoment, takeMinutes, takeSpan, takeStart } from './moment.ts'
import { checkDays, minInterval, type Parts, recurrence } from './recurrence.ts'
import { markTimes, takeTimes, takeWindow } from './times.ts'
import { takeZone } from './zone-words.ts'

/** Characters of a phrase. */
const maxLength = 500
const two = 'These are two schedules: make a job for each'
/** How `humanReadable` joins several cron expressions. */
const together = '; also '
/** Maximum words of a schedule, and of a text that is searched for one. */
const [maxWords, maxSearched] = [12, 40]

/**
 * Parses a schedule in English; cron expressions and ISO times are accepted unchanged. Pure: the same words, moment and
 * zone give the same result. Uncertain words are refused with a reason, or reported in `warnings`.
 */
export async function parseWords(text: string, context: Reference): Promise<Understood | NotUnderstood> {
  try {
    if (text.length > maxLength) throw new Refusal(`A schedule takes at most ${maxLength} characters`)
    const { notes, confidence = notes.confidence, ...reading } = await read(text, context)
    const schedule = checked(reading.schedule, context)
    const alternatives = notes.alternatives.filter((other) => Schedule.safeParse(other).success)
    return { ok: true, schedule, confidence, alternatives, warnings: notes.warnings }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    const { message: reason, alternatives } = thrown
    return { ok: false, reason, alternatives, unknown: thrown instanceof UnknownWords }
  }
}

interface Split {
  /** The words of the schedule. */
  words: string
  read: Understood
  /** The text without them. */
  rest: string
}

/** The longest schedule at the start or at the end of a text, or `anywhere` in it. Null if there is none. */
export async function splitWords(
  text: string,
  context: Reference,
  { anywhere = false, suits = (_: string): boolean => true } = {},
): Promise<Split | null> {
  const all = text.split(/\s+/).filter(Boolean)
  for (let length = Math.min(maxWords, all.length); length > 0; length -= 1) {
    const last = all.length - length
    const starts = Array.from({ length: Math.min(last, maxSearched - length) + 1 }, (_, start) => start)
    for (const start of anywhere ? starts : new Set([0, last])) {
      const part = all.slice(start, start + length)
      const words = part.join(' ').replace(/[,;:]$/, '')
      // What leads to a time alone, such as "9h", may be in another language and say "every day".
      if ((start > 0 && phrase('bare_time', 'i').test(words)) || !suits(words)) continue
      const read = await parseWords(words, context)
      if (read.ok) return { words, read, rest: all.toSpliced(start, length).join(' ') }
    }
  }
  return null
}

interface Reading {
  schedule: Schedule
  notes: Notes
  confidence?: number
}

async function read(text: string, context: Reference): Promise<Reading> {
  const raw = readRaw(text, context.zone)
  if (raw) return { schedule: raw, notes: new Notes(), confidence: 1 }
  const words = normalised(text)
  for (const [reason, pattern] of Object.entries(grammar.unsupported))
    if (new RegExp(pattern, 'u').test(words)) throw new Refusal(reason)
  if (words.includes(together)) return readTogether(words.split(together), context)
  for (const parts of splits(words)) await refuseTwo(parts, context)
  return readOne(words, context)
}

async function readTogether(sentences: string[], context: Reference): Promise<Reading> {
  const draft = new Draft(sentences.join(together))
  const notes = new Notes()
  const zone = takeZone(draft, notes) ?? context.zone
  const expressions: string[] = []
  for (const sentence of draft.text.split(together)) {
    const { schedule } = await readOne(sentence, { ...context, zone })
    if (schedule.type !== 'cron') throw new Refusal(two)
    expressions.push(schedule.expression, ...(schedule.also ?? []))
  }
  const [expression = '', ...also] = expressions
  return { schedule: { type: 'cron', expression, also, timezone: zone }, notes }
}

/** Two schedules in one sentence need two jobs. */
async function refuseTwo(parts: readonly string[], context: Reference): Promise<void> {
  const all: Schedule[] = []
  for (const part of parts) {
    const parsed = await readOne(part, context)
      .then(({ schedule }) => checked(schedule, context))
      .catch((thrown: unknown) => {
        if (!(thrown instanceof Refusal)) throw thrown
        return null
      })
    if (!parsed) return
    all.push(parsed)
  }
  throw new Refusal(two, all)
}

async function readOne(words: string, context: Reference): Promise<Reading> {
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
  if (phrase('past_day').test(draft.text) && !phrase('named_month').test(draft.text))
    throw new Refusal('That is in the past')
  const either = / or every /.test(draft.text)
  const window = takeWindow(draft, notes)
  if (phrase('has_end').test(draft.text))
    throw new Refusal('A schedule has no end date: leave it out, and set the end of the job instead')
  const again = phrase('every_word').test(draft.text)
  const days = takeDaysOf(draft)
  const frequency = takeFrequency(draft, notes)
  const parts: Parts = { days, frequency, window, start, minutes, clock, times: [] }
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
function takeDaysOf(draft: Draft): Parts['days'] {
  const text = draft.text
  const [words] = phrase('other_weekday').exec(text) ?? []
  if (!words || /\] ?(?:of|in) (?:the|each|every|a) month/.test(text)) return takeDays(draft)
  draft.text = text.replace(words, '')
  const days = takeDays(draft)
  draft.text = `every ${/[2-9]/.exec(words)?.[0] ?? 2} weeks ${draft.text}`
  return days
}

const isRepeated = ({ frequency, days, window, minutes }: Parts, text: string): boolean =>
  [frequency.step, frequency.times, frequency.again, minutes, window, days.plural].some(Boolean) ||
  phrase('day_parts_again').test(text)

function finish(schedule: Schedule, draft: Draft, { zone, notes }: Scene): Reading {
  refuseRest(draft)
  return { schedule: { ...schedule, timezone: schedule.timezone ?? zone }, notes }
}

/** Words that no rule has parsed could change the meaning. */
function refuseRest(draft: Draft): void {
  const left = draft.rest.replace(/[[\]{}*?]/g, '').trim()
  if (left !== '') throw new UnknownWords(`"${left}" is not understood`)
}

function checked(schedule: Schedule, reference: Reference): Schedule {
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
function readRaw(text: string, timezone: string): Schedule | null {
  const words = text.trim().replace(phrase('cron_label', 'i'), '')
  const isCron = phrase('cron').test(words)
  if (!isCron && !phrase('iso').test(words)) return null
  const result = Schedule.safeParse(
    isCron
      ? { type: 'cron', expression: words, timezone }
      : { type: 'at', datetime: words.toUpperCase().replace(' ', 'T'), timezone },
  )
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Refusal(`${issue?.path.join('.')} ${issue?.message}`)
}

/** Where a sentence may contain two schedules: both halves of each split. Empty for a single schedule. */
const splits = (words: string): string[][] =>
  mayBeTwo(words)
    ? [...words.matchAll(phrase('joint', 'g'))].map(({ 0: join, index }) =>
        [words.slice(0, index), words.slice(index + join.length)].map((half) => half.trim()),
      )
    : []

/** Alternating times and days, as in "Monday at 9 and Friday at 17", or more than one frequency. */
function mayBeTwo(words: string): boolean {
  const marked = markDays(markTimes(words))
  const order = [...marked.matchAll(/[[{]/g)].map(([sign]) => sign).join('')
  const counts = marked.match(phrase('step_words', 'g'))?.length ?? 0
  if (/\{\[+\{/.test(order) || counts > 1) return true
  const repeats = counts > 0 || /\bevery\b|\*\]/.test(marked)
  return phrase('once').test(marked) && repeats && !phrase('starts').test(marked)
}
