import { splitSpoken } from '../dates/spoken.ts'
import type { Language } from '../languages/language.ts'
import { record, textField } from '../outcome.ts'
import { capitalise, clip } from '../text.ts'
import { call, type Scene, type Script, say } from '../types.ts'
import { reminderGoal } from './deliver.ts'

/** A reminder in a language that has the phrases for one; what it is of and when stand in either order. */
export async function* remindIn(
  rest: string,
  { code, reminders, say: phrases }: Language,
  scene: Scene,
): Script {
  if (!reminders || !scene.tools.has('schedule_job')) {
    yield say(reminders ? phrases.lacks('schedule_job') : phrases.limit)
    return undefined
  }
  const when = await splitSpoken(rest, scene)
  const task = (when?.rest ?? rest).replace(reminders.lead, '').replace(/[\s,]+$/, '')
  if (!when || task === '') yield say(reminders.ask)
  else {
    const wish = { name: clip(capitalise(task), 60), goal: reminderGoal(task), when: when.words }
    const made = yield call('schedule_job', wish)
    const next = Date.parse(textField(made.output, 'next_run_at'))
    if (made.failed || Number.isNaN(next)) yield say(phrases.failed(clip(String(made.output), 300)))
    else yield say(reminders.set(task, momentIn(code, next, zoneIn(made.output) ?? scene.timezone)))
  }
  return undefined
}

/** The zone of the person, which the job has and the machine need not. */
const zoneIn = (output: unknown): string | undefined =>
  textField(record(output).schedule, 'timezone') || undefined

const momentIn = (code: string, at: number, timeZone: string) =>
  new Intl.DateTimeFormat(code, { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(at)
