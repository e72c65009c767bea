import { splitWords } from '../../../english/schedules/parse.ts'
import { clip, VERBS } from '../../../english/text.ts'
import { coverage, keywordsOf } from '../../../english/words.ts'
import { capitalized } from '../../../label.ts'
import { composeFailure, use } from '../compose.ts'
import { rows, textField } from '../conversation.ts'
import { joinList, unquote } from '../text.ts'
import { type Behaviour, call, type Script, speak, tryCall } from '../types.ts'

/** The goal of a reminder's job. When it runs, `deliver`, or any model, simply says the reminder. */
const reminderGoal = (task: string): string => `Deliver this reminder: ${task}`

export const deliver: Behaviour = { run: ({ reminder }) => speak(`Reminder: ${reminder}`) }

/** What leads from "remind me" to the task. */
const LEAD =
  /^(?:(?:(?:that I (?:should|must|need to|have to)|that I|that|about|of|to|for|with)\b|:)\s*)*(?:please )?(?:you )?/i
/** "A timer for 10 minutes" ends in 10 minutes. */
const FOR = /\bfor (?=(?:\d+|an?|half an) (?:minute|hour|day|week)s?\b)/i
/** "Every Friday remind me to …" is a reminder and not an order to remind. */
const REMIND = /^(?:please )?remind me (?<task>(?:to|about|of|that)\b.+)/is

export const schedule: Behaviour = {
  // "Every morning fetch …", "list the files tomorrow at 8": an order with a time is a job.
  accepts: ({ implied, rest = '' }) => {
    const words = rest.toLowerCase().split(/\s+/)
    return implied === 'anywhere'
      ? words.some((word) => word === 'remind' || VERBS.has(word))
      : !implied || VERBS.has(words[0] ?? '')
  },
  async *run({ kind: first = 'job', rest = '', task: usual = '' }, { now, timezone }) {
    const text = rest.replace(FOR, 'in ')
    const when = await splitWords(text, { now, zone: timezone }, { anywhere: true, suits })
    const said = when ? when.rest : text
    const reminder = REMIND.exec(said)?.groups?.task
    const kind = reminder ? 'reminder' : first
    const task = taskOf(reminder ?? said) || usual
    if (!when || task === '') return yield* speak(missing(kind, task, when?.words))
    const goal = kind === 'reminder' ? reminderGoal(task) : task
    return yield* use('schedule_job', { name: clip(capitalized(task), 60), goal, when: when.words })
  },
}

/** A word that leads to the task is no part of a time. */
const suits = (words: string): boolean => !/^for\b|\b(?:to|of|about|that|and|the|an?|my|our)$/i.test(words)

const taskOf = (text: string): string =>
  unquote(
    text
      .trim()
      .replace(LEAD, '')
      .replace(/^[\s,:]+|(?<![\s,])[\s,]+$/g, ''),
  )

function missing(kind: string, task: string, when: string | undefined): string {
  if (kind === 'job' && when) return `What should I do then (${when})?`
  if (kind === 'job') return `When should I do this: "${task || 'the job'}"?`
  if (task !== '') return `When should I remind you to ${task}?`
  return when
    ? `What should I remind you of ${when}?`
    : 'What should I remind you of, and when? For example: "remind me to call Anna tomorrow at 5pm".'
}

export const jobs: Behaviour = { run: () => use('list_jobs', {}) }

/** The only job; if there are several, the person is asked which one. */
const PRONOUN = /^(?:it|that|this|that one|this one)?$/i

export const cancel: Behaviour = {
  async *run(slots, scene) {
    const name = unquote(slots.name ?? '')
    if (!scene.tools.has('list_jobs'))
      return yield* name ? use('cancel_job', { name }) : speak('Which job should I cancel?')
    const listed = rows((yield call('list_jobs', {})).output, 'jobs', 'items')
    const [first, ...others] = listed
    if (!first) return yield* speak('There are no scheduled jobs to cancel.')
    const job = PRONOUN.test(name) && others.length === 0 ? first : pick(name, listed, 'name')
    return yield* job ? cancelOne(job) : speak(whichJob(name, listed))
  },
}

function whichJob(name: string, listed: readonly Row[]): string {
  const names = listed.slice(0, 10).map((job) => `"${textField(job, 'name')}"`)
  const problem = PRONOUN.test(name) ? 'Which job should I cancel?' : `No job matches "${name}".`
  return `${problem} There is ${joinList(names, 'or')}.`
}

/** By its id, so that the right job is cancelled. */
async function* cancelOne(job: Row): Script {
  const [id, name] = [textField(job, 'id'), textField(job, 'name')]
  const cancelled = yield tryCall('cancel_job', id ? { id } : { name })
  return yield* speak(cancelled.failed ? composeFailure(cancelled) : `Cancelled: ${name || id}.`)
}

type Row = Record<string, unknown>

/** The row that a user means: by its id or whole text, by a part of it, or by at least half of the words. */
export function pick(words: string, items: readonly Row[], key: string): Row | undefined {
  const name = words
    .toLowerCase()
    .replace(/^["']|["']$/g, '')
    .replace(/^(?:the|my)\s+/, '')
  if (PRONOUN.test(name)) return undefined
  const texts = items.map((item) => textField(item, key).toLowerCase())
  const scores = texts.map((text) => coverage(keywordsOf(name), keywordsOf(text)))
  return (
    items.find((item, index) => texts[index] === name || textField(item, 'id').toLowerCase() === name) ??
    items.find((_, index) => name.length > 2 && texts[index]?.includes(name)) ??
    items[scores.indexOf(Math.max(0.5, ...scores))]
  )
}
