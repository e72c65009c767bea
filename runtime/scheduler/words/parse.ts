import { second } from '../../time.ts'
import { nextRuns } from '../next-run.ts'
import { Schedule } from '../schema.ts'
import { markDays, takeDays } from './days.ts'
import { Draft } from './draft.ts'
import { takeFrequency } from './frequency.ts'
import { readMoment, readSpan } from './moment.ts'
import { normalised } from './normalise.ts'
import type { Parts, Scene } from './parts.ts'
import { readRaw } from './raw.ts'
import { Notes, type Reading, Refusal, type WordsContext } from './reading.ts'
import { checkDays, recurrence } from './recurrence.ts'
import { refuseHopeless } from './refuse.ts'
import { partsOf } from './split.ts'
import { takeClock, takeMinutes, takeStart } from './start.ts'
import { markTimes, takeTimes, takeWindow } from './times.ts'
import { takeZone } from './zone-words.ts'

/** Characters; nobody says a schedule in more. */
const longest = 500
/** Seconds between two due times. */
const shortest = 10

/**
 * A schedule in plain words, in English and the commonest phrases of German, French and Spanish; cron expressions and
 * ISO times are taken as they are. Pure: the same words, moment and zone give the same reading. What is not certain
 * is refused with a reason, or told in `warnings`.
 */
export async function parseWords(text: string, context: WordsContext): Promise<Reading> {
  try {
    if (text.length > longest) throw new Refusal(`A schedule takes at most ${longest} characters`)
    return checked(await read(text, context), context)
  } catch (thrown) {
    if (thrown instanceof Refusal)
      return { ok: false, reason: thrown.message, alternatives: thrown.alternatives }
    throw thrown
  }
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
  refuseHopeless(words)
  if (words.includes(together)) return readTogether(words.split(together), context)
  const parts = partsOf(words)
  for (const [first, last] of parts) await refuseTwo([first, last], context)
  return readOne(words, context)
}

/** How `humanReadable` joins what one cron expression cannot say. */
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

/** Two schedules in one sentence are two jobs. */
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
  const span = readSpan(draft, scene, notes)
  if (span) return finish(span, draft, scene)
  const start = await takeStart(draft, scene)
  const minutes = takeMinutes(draft)
  const clock = takeClock(draft)
  draft.text = markTimes(draft.text)
  const dated = new Draft(draft.text)
  draft.text = markDays(draft.text)
  if (
    /\blast \[/.test(draft.text) &&
    !/month|\b(?:in|of) [a-z]/.test(draft.text) &&
    !/every|each/.test(draft.text)
  )
    throw new Refusal('That lies in the past')
  const either = / or every /.test(draft.text)
  const window = takeWindow(draft, notes)
  if (/\b(?:until|till)\b|\bfor (?:the next )?\d+ (?:hours|days?|weeks?|months?|years?)\b/.test(draft.text))
    throw new Refusal('An end is no part of a schedule: leave it out, and set when the job ends')
  const again = / ?\b(?:every|each)\b/.test(draft.text)
  const days = takeDaysOf(draft)
  const frequency = takeFrequency(draft, notes)
  const parts: Parts = { frequency, days, window, start, minutes, clock, times: { list: [], assumed: false } }
  const repeated = again || isRepeated(parts, dated.text)
  checkDays(days, repeated ? notes : new Notes())
  if (!repeated) return finish(await readMoment(dated, scene, notes), dated, scene)
  parts.times = takeTimes(draft, notes)
  if (days.monthDays.length > 0 && days.weekdays && !either)
    throw new Refusal('A day of the month and a weekday together cannot be said: cron takes either, not both')
  refuseRest(draft)
  return finish(recurrence(parts, scene), draft, scene)
}

/** The frequency of "every other [2]" stands before the weekday, so it is looked at with the weekday in its place. */
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

/** Words that no rule has read could have changed the meaning. */
function refuseRest(draft: Draft): void {
  const left = draft.rest.replace(/[[\]{}*?]/g, '').trim()
  if (left !== '') throw new Refusal(`"${left}" is not understood`)
}

function checkedSchedule({ schedule }: Found, { now, zone }: WordsContext): Schedule {
  const valid = Schedule.safeParse(schedule)
  if (!valid.success) throw new Refusal(`That makes no schedule: ${valid.error.issues[0]?.message}`)
  const times = nextRuns(valid.data, now, { zone, anchor: now, count: 50 })
  if (times.length === 0) throw new Refusal('That lies in the past')
  if (times.some((at, index) => index > 0 && at - (times[index - 1] ?? 0) < shortest * second))
    throw new Refusal(`More often than every ${shortest} seconds is not possible`)
  return valid.data
}

function checked(found: Found, context: WordsContext): Reading {
  const schedule = checkedSchedule(found, context)
  const { warnings, alternatives, confidence } = found.notes
  return {
    ok: true,
    schedule,
    confidence: found.confidence ?? confidence,
    alternatives: alternatives.filter((other) => Schedule.safeParse(other).success),
    warnings,
  }
}
