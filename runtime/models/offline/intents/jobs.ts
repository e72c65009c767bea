import { answerOf, composeFailure, minutesText, use } from '../compose.ts'
import { rows, textField } from '../conversation.ts'
import { capitalise, clip, joinList, similarWords, unquote, VERBS } from '../text.ts'
import {
  call,
  form,
  grammar,
  handled,
  type Intent,
  type Outcome,
  type Scene,
  type Script,
  type Slots,
  type Step,
  say,
  speak,
} from '../types.ts'
import { hasRecurrence, splitWhen, type When } from '../when.ts'

/**
 * The goal of a reminder's job. When the job runs, the `deliver` intent, or any model, simply says the
 * reminder.
 */
export const reminderGoal = (task: string): string => `Deliver this reminder: ${task}`

export const deliver: Intent = {
  tools: [],
  examples: [],
  content: true,
  rules: [{ form: /\bdeliver this reminder: *(?<reminder>[^\n]+)/i, score: 1, whole: /^/ }],
  run: ({ reminder }) => speak(`Reminder: ${reminder}`),
}

const AGAIN = '(?: again)?,?\\s*(?<rest>.*)'
const SOON = String.raw`(?:in (?:\d+|an?|one|two|three|five|ten|fifteen|twenty|thirty|half an)\s*(?:minutes?|mins?|hours?|days?|weeks?)|tomorrow|tonight|this (?:morning|afternoon|evening)|at \d{1,2}(?::\d\d)?(?:\s*[ap]m)?|(?:on|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: (?:morning|afternoon|evening|at (?:\d{1,2}(?::\d\d)?(?:\s*[ap]m)?|noon)))*`
const SOON_FIRST = form(String.raw`${SOON}[, ]+(please )?(?<verb>\p{L}+)\b.*`)
const SOON_LAST = form(String.raw`(?<verb>\p{L}+)\b.*\b${SOON}`)
const NO_ORDER =
  /^(?:I|my|what|who|when|where|why|how|is|do|does|did|are|remember|plan|translate|write|recall)\b/i
/** The text of a timer or an alarm without one. */
const USUAL: readonly [RegExp, string][] = [
  [/^wake me/i, 'wake up'],
  [/^\w+ (?:me )?(?:an? |the )?timer/i, 'the timer is up'],
  [/^\w+ (?:me )?(?:an? |the )?alarm/i, 'the alarm'],
]
const LEAD =
  /^(?:(?:(?:that I (?:should|must|need to|have to|want to)|that I|that|about|of|to|for|with)\b|:)\s*)+(?:please )?(?:you )?|^(?:please )?(?:you )?/i
/** "Every Friday remind me to …" is a reminder and not an order to remind. */
const REMIND = /^(?:please )?remind me (?<task>(?:to|about|of|that)\b.+)/is
/** `arm_check_in` takes 1 minute to 7 days. */
const MAX_CHECK_IN = 10_080

export const schedule: Intent = {
  title: 'Remind and schedule',
  tools: ['schedule_job', 'arm_check_in'],
  examples: ['remind me to call Anna tomorrow at 5pm', 'every weekday at 9 summarise https://example.com'],
  rules: grammar`
    @ 0.95; kind: reminder
      (remind me|set (me )?(an? |the )?(reminder|alarm|timer)|(create|make|add|give me|send me) an? (reminder|alarm)|wake me( up)?|alert me|ping me|notify me|nudge me|don'?t let me forget)\b(?! (what|who|where|when|which|how|why|whose)\b)${AGAIN}
    @ 0.95; kind: check_in
      (check (back|in)( (with me|on me))?|come back( to (this|me))?|follow up|look again|get back to me|check again|ask me again)\b${AGAIN}
    @ 0.93; kind: job
      (schedule|automate|set up (an? )?(job|schedule|task|recurring job)|create (an? )?(scheduled |recurring |cron )?(job|schedule)|add (an? )?(scheduled |recurring )?job)\b\s*(an? (job|task|run)\b\s*)?(that|to|for|which|:)?${AGAIN}
  `,
  // "Every morning fetch …", "tomorrow at 8 list the files": an order with a time is a job.
  refine(match, text) {
    const usual = USUAL.find(([words]) => words.test(text))?.[1]
    if (match) return usual ? { ...match, slots: { ...match.slots, usual } } : match
    if (NO_ORDER.test(text) || /\?$/.test(text)) return null
    const job = { score: 0.94, slots: { kind: 'job', rest: text } }
    if (hasRecurrence(text) && text.split(/\s+/).length > 3) return job
    const verb = (SOON_FIRST.exec(text) ?? SOON_LAST.exec(text))?.groups?.verb?.toLowerCase() ?? ''
    return VERBS.has(verb) ? { ...job, score: 0.93 } : null
  },
  async *run({ kind: given = 'job', rest = '', usual = '' }, scene) {
    const when = await splitWhen(rest, scene)
    const reminder = REMIND.exec(when?.rest ?? '')?.groups?.task
    const kind = reminder ? 'reminder' : given
    const task = taskOf(reminder ?? when?.rest ?? rest, kind) || usual
    const question = missing(kind, task, when)
    const asJob = kind === 'check_in' ? !scene.tools.has('arm_check_in') : scene.tools.has('schedule_job')
    if (question || !when) return yield* speak(question)
    return yield* asJob ? addJob(kind, task, when) : addCheckIn(kind, task, when)
  },
}

function taskOf(text: string, kind: string): string {
  const task = unquote(
    text
      .trim()
      .replace(LEAD, '')
      .replace(/(?<![\s,])[\s,]+$/, ''),
  )
  return task === '' && kind === 'check_in' ? 'what we were talking about' : task
}

function missing(kind: string, task: string, when: When | null): string {
  if (kind === 'job') {
    if (when) return task === '' ? `What should I do then (${when.words})?` : ''
    return `When should I do this: "${task || 'the job'}"?`
  }
  if (task !== '') return when ? '' : `When should I remind you to ${task}?`
  return when
    ? `What should I remind you of ${when.words}?`
    : 'What should I remind you of, and when? For example: "remind me to call Anna tomorrow at 5pm".'
}

function addJob(kind: string, task: string, { words, delay }: When): Script {
  if (delay !== undefined && delay <= 0)
    return speak(`"${words}" has passed already, so I scheduled nothing.`)
  const goals: Slots = { reminder: reminderGoal(task), check_in: `Check: ${task}` }
  return use('schedule_job', { name: clip(capitalise(task), 60), goal: goals[kind] ?? task, when: words })
}

async function* addCheckIn(kind: string, task: string, { words, delay }: When): Script {
  const minutes = Math.round((delay ?? 0) / 60_000)
  if (delay === undefined)
    return yield* speak(
      'I cannot repeat anything here: the tool schedule_job is not available, and a check-in comes once.',
    )
  if (minutes < 1 || minutes > MAX_CHECK_IN)
    return yield* speak('Here I can come back between 1 minute and 7 days from now, not at that time.')
  const waiting_on = kind === 'reminder' ? reminderGoal(task) : task
  const estimate_basis = `The user said "${words}"`
  yield call('arm_check_in', { delay_minutes: minutes, waiting_on, estimate_basis })
  yield say(`I will come back in ${minutesText(minutes)}: ${task}.`)
}

const NOUN = '(?:jobs?|reminders?|schedules?|scheduled (?:tasks?|things)|cron ?jobs?|alarms?|timers?)'
const CANCEL = '(?:cancel|delete|remove|stop|kill|drop|unschedule|turn off|disable|clear)'
const ALL = /^(?:all|every|everything|all of them|all the|all my)$/i
/** The only job; if there are several, the person is asked which one. */
const PRONOUN = /^(?:it|that|this|that one|this one)(?: again)?$/i
const MAX_CANCELLED = 20

export const listJobs: Intent = {
  title: 'Scheduled jobs',
  tools: ['list_jobs'],
  examples: ['list my jobs', 'cancel the backup job'],
  rules: grammar`
    @ 0.92
      (list|show|see|display|which|what|any|view|check|get|give me|tell me|do I have|are there|have I)('s| is| are)?( me)?( about)?( any| all)?( of)?( the| my| our| your)?( scheduled| upcoming| pending| active| planned| open| set)* ${NOUN}( (do I have|are there|are (scheduled|set|planned|active|running|pending)|have I set|you have|I have|scheduled|set|there|exist))*
      what('s| is| have you| do you have| do I have)( got)? (scheduled|planned|coming up)( for me)?( today| next| this week)?
      (my |the )?(scheduled )?${NOUN}
  `,
  run: () => use('list_jobs', {}),
}

export const cancelJob: Intent = {
  tools: ['cancel_job'],
  examples: ['cancel the backup job', 'cancel my reminder to call Anna'],
  rules: grammar`
    @ 0.9
      ${CANCEL}\s+(the |my |that |this |an? |one of (the|my) |some )?(scheduled )?${NOUN}(\s+(called |named |about |to |for |with id |id |number |that )?(?<name>.+))?
      ${CANCEL}\s+(the |my |that |this )?(?<name>.+?)\s+(scheduled )?${NOUN}
    @ 0.6
      (cancel|unschedule)\s+(the |my )?(?<name>.+)
  `,
  async *run(slots, scene) {
    const name = unquote(slots.name ?? '')
    if (scene.tools.has('list_jobs')) return yield* cancelListed(name, scene)
    return yield* name ? use('cancel_job', { name }) : speak('Which job should I cancel?')
  },
}

/** A name in the user's words is looked up first, so that the right job is cancelled by its id. */
async function* cancelListed(name: string, scene: Scene): Script {
  const listed = yield call('list_jobs', {})
  const jobs = rows(listed.output, 'jobs', 'items')
  const [only, ...others] = jobs
  if (!only) return yield* speak('There are no scheduled jobs to cancel.')
  if (PRONOUN.test(name) && others.length === 0) return yield* cancel(only)
  if (!ALL.test(name))
    return yield* cancelNamed((PRONOUN.test(name) ? '' : name) || (yield* choose(jobs, scene)), jobs)
  for (const job of jobs.slice(0, MAX_CANCELLED)) yield* cancel(job)
}

/** Asks with the tool that shows the names as choices; without it, an empty name asks in plain text. */
async function* choose(jobs: readonly Row[], scene: Scene): AsyncGenerator<Step, string, Outcome> {
  if (!scene.tools.has('ask_user')) return ''
  const options = jobs.slice(0, 10).map((job) => textField(job, 'name'))
  const asked = yield call('ask_user', { question: 'Which job should I cancel?', options }, handled)
  return asked.failed ? '' : answerOf(asked.output)
}

function cancelNamed(name: string, jobs: readonly Row[]): Script {
  const chosen = name === '' ? undefined : pick(name, jobs, 'name')
  const names = jobs.slice(0, 10).map((job) => `"${textField(job, 'name')}"`)
  if (chosen) return cancel(chosen)
  const problem = name === '' ? 'Which job should I cancel?' : `No job matches "${name}".`
  return speak(`${problem} There is ${joinList(names, 'or')}.`)
}

async function* cancel(job: Row): Script {
  const id = textField(job, 'id')
  const name = textField(job, 'name')
  const cancelled = yield call('cancel_job', id ? { id } : { name }, handled)
  return yield* speak(cancelled.failed ? composeFailure(cancelled) : `Cancelled: ${name || id}.`)
}

type Row = Record<string, unknown>

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/**
 * The row that a user means: by position, by its whole text, by a part of it, or by at least half of the
 * words.
 */
export function pick(wanted: string, items: readonly Row[], key: string): Row | undefined {
  const name = wanted
    .toLowerCase()
    .replace(/^["']|["']$/g, '')
    .replace(/^(?:the|my|number|no\.?|#)\s+/, '')
    .replace(/ one$/, '')
    .trim()
  const position = ORDINALS.indexOf(name)
  if (position >= 0 || name === 'last') return items.at(position)
  if (/^#?\d+$/.test(name) && !items.some((item) => textField(item, 'id') === name))
    return items[Number(name.replace('#', '')) - 1]
  const texts = items.map((item) => textField(item, key).toLowerCase())
  const scores = texts.map((text) => similarWords(name, text))
  const best = Math.max(0.5, ...scores)
  return (
    items.find((item, index) => texts[index] === name || textField(item, 'id').toLowerCase() === name) ??
    items.find((_, index) => name.length > 2 && texts[index]?.includes(name)) ??
    items[scores.indexOf(best)]
  )
}
