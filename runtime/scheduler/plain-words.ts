import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { zoneOfDays } from '../monitoring/budget-limits.ts'
import { iso } from '../time.ts'
import { humanReadable } from './describe.ts'
import { nextRuns } from './next-run.ts'
import type { Schedule } from './schema.ts'
import { askModel } from './words/ask-model.ts'
import { parseWords } from './words/parse.ts'
import type { Reading, Understood } from './words/reading.ts'

/** Shown to whoever wrote what is not understood. */
const examples = [
  'every weekday at 9',
  'in 20 minutes',
  'tomorrow at 5pm',
  'first Monday of the month at noon',
  'every 2 hours between 9 and 17',
]

export interface ReadSchedule {
  schedule: Schedule
  human_readable: string
  confidence: number
  parse_method: 'regex' | 'llm'
  timezone: string
  next_runs: string[]
  alternatives: { schedule: Schedule; human_readable: string }[]
  warnings: string[]
}

export interface Wording {
  text: string
  /** Instead of that of the profile. */
  timezone?: string | undefined
  locale?: string | undefined
}

/** The schedule of plain words: by rules, and by a model where the rules fail and one is set up. Else a 422 that says why. */
export async function readPlainWords(
  context: Context,
  { text, timezone, locale }: Wording,
): Promise<ReadSchedule> {
  const now = context.clock.now()
  const zone = timezone ?? (await zoneOfDays(context))
  const read = await parseWords(text, { now, zone, ...(locale !== undefined && { locale }) })
  if (read.ok) return shown(read, 'regex', { now, zone })
  // Words that the rules know to be two schedules are not for a model to guess.
  const guessed =
    read.alternatives.length > 0 || text.trim() === '' ? null : await askModel(context, text, { now, zone })
  if (guessed) return shown(guessed, 'llm', { now, zone })
  throw notUnderstood(read, { now, zone })
}

interface At {
  now: number
  zone: string
}

function shown(read: Understood, parse_method: 'regex' | 'llm', { now, zone }: At): ReadSchedule {
  const { schedule, confidence, warnings } = read
  return {
    schedule,
    human_readable: humanReadable(schedule, { now, zone }),
    confidence,
    parse_method,
    timezone: schedule.timezone ?? zone,
    next_runs: nextRuns(schedule, now, { zone, anchor: now, count: 5 }).map(iso),
    alternatives: described(read.alternatives, { now, zone }),
    warnings,
  }
}

const described = (schedules: Schedule[], viewer: At) =>
  schedules.map((schedule) => ({ schedule, human_readable: humanReadable(schedule, viewer) }))

function notUnderstood(read: Exclude<Reading, Understood>, viewer: At): Fault {
  const alternatives = described(read.alternatives, viewer)
  const issues = [{ path: 'text', message: read.reason }]
  return new Fault(422, 'validation_error', `text: ${read.reason}`, {
    extra: { issues, reason: read.reason, alternatives, examples },
  })
}
