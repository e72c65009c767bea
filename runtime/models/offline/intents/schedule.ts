import { compose, minutesText } from '../compose.ts'
import { hasRecurrence, splitWhen, type When } from '../dates/when.ts'
import { firstTool, lacks } from '../notice.ts'
import { capitalise, clip, unquote } from '../text.ts'
import { call, type Intent, type IntentMatch, matched, type Scene, type Script, say } from '../types.ts'
import { VERBS } from '../verbs.ts'
import { reminderGoal } from './deliver.ts'

const REMIND =
  /^(?:remind me|set (?:me )?(?:an? |the )?(?:reminder|alarm|timer)|(?:create|make|add|give me|send me) an? (?:reminder|alarm)|wake me(?: up)?|alert me|ping me|notify me|nudge me|don'?t let me forget)\b(?! (?:what|who|where|when|which|how|why|whose)\b)(?:\s+again)?,?\s*(?<rest>[\s\S]*)$/i
const CHECK_BACK =
  /^(?:check (?:back|in)(?: (?:with me|on me))?|come back(?: to (?:this|me))?|follow up|look again|get back to me|check again|ask me again)\b,?\s*(?<rest>[\s\S]*)$/i
const SCHEDULE =
  /^(?:schedule|automate|set up (?:an? )?(?:job|schedule|task|recurring job)|create (?:an? )?(?:scheduled |recurring |cron )?(?:job|schedule)|add (?:an? )?(?:scheduled |recurring )?job)\b\s*(?:an? (?:job|task|run)\b\s*)?(?:that|to|for|which|:)?\s*(?<rest>[\s\S]*)$/i
const SOON =
  '(?:in (?:\\d+|an?|one|two|three|five|ten|fifteen|twenty|thirty|half an)\\s*(?:minutes?|mins?|hours?|days?|weeks?)|tomorrow|tonight|this (?:morning|afternoon|evening)|at \\d{1,2}(?::\\d\\d)?(?:\\s*[ap]m)?|(?:on|next) (?:mon|tues|wednes|thurs|fri|satur|sun)day)(?: (?:morning|afternoon|evening|at (?:\\d{1,2}(?::\\d\\d)?(?:\\s*[ap]m)?|noon)))*'
const SOON_FIRST = new RegExp(`^${SOON}[, ]+(?:please )?(?<verb>\\p{L}+)\\b.*$`, 'isu')
const SOON_LAST = new RegExp(`^(?<verb>\\p{L}+)\\b.*\\b${SOON}$`, 'isu')
/** What a timer or an alarm says when it was given no words. */
const USUAL: readonly [RegExp, string][] = [
  [/^wake me/i, 'wake up'],
  [/^\w+ (?:me )?(?:an? |the )?timer/i, 'the timer is up'],
  [/^\w+ (?:me )?(?:an? |the )?alarm/i, 'the alarm'],
]
const LEAD =
  /^(?:(?:that I (?:should|must|need to|have to|want to)|that I|that|about|of|to|for|with)\b|:)\s*/i
/** `arm_check_in` takes 1 minute to 7 days. */
const MAX_CHECK_IN = 10_080

export const schedule: Intent = {
  name: 'schedule',
  title: 'Remind and schedule',
  tools: ['schedule_job', 'arm_check_in'],
  examples: ['remind me to call Anna tomorrow at 5pm', 'every weekday at 9 summarise https://example.com'],
  match(text) {
    return (
      named(text, REMIND, 'reminder', 0.95) ??
      named(text, CHECK_BACK, 'check_in', 0.95) ??
      named(text, SCHEDULE, 'job', 0.93) ??
      implied(text)
    )
  },
  async *run({ slots }, scene) {
    const { kind = 'job', rest = '' } = slots
    const tool = toolFor(kind, scene)
    if (!tool) yield say(lacks('schedule_job'))
    else {
      const when = await splitWhen(rest, scene)
      const task = taskOf(when?.rest ?? rest, kind) || (slots.usual ?? '')
      const question = missing(kind, task, when)
      if (question) yield say(question)
      else if (when) yield* tool === 'schedule_job' ? asJob(kind, task, when) : asCheckIn(kind, task, when)
    }
    return undefined
  },
}

function named(text: string, shape: RegExp, kind: string, score: number): IntentMatch | null {
  const rest = shape.exec(text)?.groups?.rest
  if (rest === undefined) return null
  const usual = USUAL.find(([word]) => word.test(text))?.[1]
  return matched(score, { kind, rest: rest.trim(), ...(usual && { usual }) })
}

/** "Every morning fetch …", "tomorrow at 8 list the files": an order with a time is a job. */
function implied(text: string): IntentMatch | null {
  const order =
    /^(?!I\b|my\b|what\b|who\b|when\b|where\b|why\b|how\b|is\b|do\b|does\b|did\b|are\b|remember\b|plan\b|translate\b|write "|recall\b)/i.test(
      text,
    )
  if (!order || /\?$/.test(text)) return null
  if (hasRecurrence(text) && text.split(/\s+/).length > 3) return matched(0.94, { kind: 'job', rest: text })
  const verb = (SOON_FIRST.exec(text) ?? SOON_LAST.exec(text))?.groups?.verb ?? ''
  return VERBS.has(verb.toLowerCase()) && !/^(?:time|date)$/i.test(verb)
    ? matched(0.93, { kind: 'job', rest: text })
    : null
}

function toolFor(kind: string, scene: Scene): string | undefined {
  return kind === 'check_in'
    ? firstTool(scene, 'arm_check_in', 'schedule_job')
    : firstTool(scene, 'schedule_job', 'arm_check_in')
}

function taskOf(text: string, kind: string): string {
  let task = text.trim()
  for (let previous = ''; previous !== task; ) {
    previous = task
    task = task.replace(LEAD, '').trim()
  }
  const clean = unquote(task.replace(/^(?:please )?(?:you )?/i, '').replace(/[\s,]+$/, ''))
  if (clean !== '' || kind === 'job') return clean
  return kind === 'check_in' ? 'what we were talking about' : ''
}

function missing(kind: string, task: string, when: When | null): string | null {
  if (kind === 'job') {
    if (task === '' && when) return `What should I do then (${when.words})?`
    return when ? null : `When should I do this: "${task || 'the job'}"?`
  }
  if (task === '' && when) return `What should I remind you of ${when.words}?`
  if (task === '')
    return 'What should I remind you of, and when? For example: "remind me to call Anna tomorrow at 5pm".'
  return when ? null : `When should I remind you to ${task}?`
}

async function* asJob(kind: string, task: string, when: When): Script {
  if (when.delay !== undefined && when.delay <= 0) {
    yield say(`"${when.words}" has passed already, so I scheduled nothing.`)
    return undefined
  }
  const name = clip(capitalise(task), 60)
  const goal = kind === 'reminder' ? reminderGoal(task) : kind === 'check_in' ? `Check: ${task}` : task
  yield say(compose(yield call('schedule_job', { name, goal, when: when.words })))
  return undefined
}

async function* asCheckIn(kind: string, task: string, when: When): Script {
  const minutes = Math.round((when.delay ?? 0) / 60_000)
  if (when.recurring)
    yield say(
      `I cannot repeat anything here: the tool schedule_job is not available, and a check-in comes once.`,
    )
  else if (minutes < 1 || minutes > MAX_CHECK_IN)
    yield say('Here I can come back between 1 minute and 7 days from now, not at that time.')
  else {
    const waiting_on = kind === 'reminder' ? reminderGoal(task) : task
    const estimate_basis = `The user said "${when.words}"`
    const armed = yield call('arm_check_in', { delay_minutes: minutes, waiting_on, estimate_basis })
    yield say(armed.failed ? compose(armed) : `I will come back in ${minutesText(minutes)}: ${task}.`)
  }
  return undefined
}
