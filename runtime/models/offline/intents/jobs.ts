import { answerOf, compose } from '../compose.ts'
import { composeFailure } from '../failure.ts'
import { lacks } from '../notice.ts'
import { rows, textField } from '../outcome.ts'
import { joinList, unquote } from '../text.ts'
import {
  call,
  type Intent,
  type IntentMatch,
  matched,
  type Outcome,
  type Scene,
  type Script,
  type Step,
  say,
} from '../types.ts'
import { pick } from './pick.ts'

const NOUN = '(?:jobs?|reminders?|schedules?|scheduled (?:tasks?|things)|cron ?jobs?|alarms?|timers?)'
const LISTS: readonly RegExp[] = [
  new RegExp(
    `^(?:list|show|see|display|which|what|any|view|check|get|give me|tell me|do I have|are there|have I)(?:'s| is| are)?(?: me)?(?: about)?(?: any| all)?(?: of)?(?: the| my| our| your)?(?: scheduled| upcoming| pending| active| planned| open| set)* ${NOUN}(?: (?:do I have|are there|are (?:scheduled|set|planned|active|running|pending)|have I set|you have|I have|scheduled|set|there|exist))*$`,
    'i',
  ),
  /^what(?:'s| is| have you| do you have| do I have)(?: got)? (?:scheduled|planned|coming up)(?: for me)?(?: today| next| this week)?$/i,
  new RegExp(`^(?:my |the )?(?:scheduled )?${NOUN}$`, 'i'),
]
const CANCELS: readonly RegExp[] = [
  new RegExp(
    `^(?:cancel|delete|remove|stop|kill|drop|unschedule|turn off|disable|clear)\\s+(?:the |my |that |this |an? |one of (?:the|my) |some )?(?:scheduled )?${NOUN}(?:\\s+(?:called |named |about |to |for |with id |id |number |that )?(?<name>.+))?$`,
    'i',
  ),
  new RegExp(
    `^(?:cancel|delete|remove|stop|kill|drop|unschedule|turn off|disable|clear)\\s+(?:the |my |that |this )?(?<name>.+?)\\s+(?:scheduled )?${NOUN}$`,
    'i',
  ),
]
const LOOSE = /^(?:cancel|unschedule)\s+(?:the |my )?(?<name>.+)$/i
const ALL = /^(?:all|every|everything|all of them|all the|all my)$/i
/** One job that is there is meant; of several, the person is asked. */
const PRONOUN = /^(?:it|that|this|that one|this one)(?: again)?$/i
const MAX_CANCELLED = 20

export const listJobs: Intent = {
  name: 'list_jobs',
  title: 'Scheduled jobs',
  tools: ['list_jobs'],
  examples: ['list my jobs', 'cancel the backup job'],
  match(text) {
    return LISTS.some((shape) => shape.test(text)) ? matched(0.92) : null
  },
  async *run(_, scene) {
    yield say(scene.tools.has('list_jobs') ? compose(yield call('list_jobs', {})) : lacks('list_jobs'))
    return undefined
  },
}

export const cancelJob: Intent = {
  name: 'cancel_job',
  tools: ['cancel_job'],
  examples: ['cancel the backup job', 'cancel my reminder to call Anna'],
  match(text) {
    for (const shape of CANCELS) {
      const found = shape.exec(text)
      if (found) return slotsOf(found, 0.9)
    }
    const loose = LOOSE.exec(text)
    return loose ? slotsOf(loose, 0.6) : null
  },
  async *run({ slots }, scene) {
    if (!scene.tools.has('cancel_job')) yield say(lacks('cancel_job'))
    else if (scene.tools.has('list_jobs')) yield* fromList(slots.name ?? '', scene)
    else if (slots.name) yield say(compose(yield call('cancel_job', { name: slots.name })))
    else yield say('Which job should I cancel?')
    return undefined
  },
}

function slotsOf(found: RegExpExecArray, score: number): IntentMatch {
  const name = unquote(found.groups?.name ?? '')
  return matched(score, name === '' ? {} : { name })
}

/** A name in the user's words is looked up first, so that the right job is cancelled by its id. */
async function* fromList(name: string, scene: Scene): Script {
  const listed = yield call('list_jobs', {})
  if (listed.failed) {
    yield say(composeFailure(listed))
    return undefined
  }
  const jobs = rows(listed.output, 'jobs', 'items')
  if (jobs.length === 0) yield say('There are no scheduled jobs to cancel.')
  else if (ALL.test(name)) for (const job of jobs.slice(0, MAX_CANCELLED)) yield* cancel(job)
  else if (PRONOUN.test(name) && jobs[0] && jobs.length === 1) yield* cancel(jobs[0])
  else yield* cancelNamed((PRONOUN.test(name) ? '' : name) || (yield* choose(jobs, scene)), jobs)
  return undefined
}

/** Asks by the tool that can show the names as choices; without it, an empty name asks in plain text. */
async function* choose(
  jobs: readonly Record<string, unknown>[],
  scene: Scene,
): AsyncGenerator<Step, string, Outcome> {
  if (!scene.tools.has('ask_user')) return ''
  const options = jobs.slice(0, 10).map((job) => textField(job, 'name'))
  const asked = yield call('ask_user', { question: 'Which job should I cancel?', options })
  return asked.failed ? '' : answerOf(asked.output)
}

async function* cancelNamed(name: string, jobs: readonly Record<string, unknown>[]): Script {
  const chosen = name === '' ? undefined : pick(name, jobs, 'name')
  const names = joinList(
    jobs.slice(0, 10).map((job) => `"${textField(job, 'name')}"`),
    'or',
  )
  if (chosen) yield* cancel(chosen)
  else if (name === '') yield say(`Which job should I cancel? There is ${names}.`)
  else yield say(`No job matches "${name}". There is ${names}.`)
  return undefined
}

async function* cancel(job: Record<string, unknown>): Script {
  const id = textField(job, 'id')
  const cancelled = yield call('cancel_job', id ? { id } : { name: textField(job, 'name') })
  yield say(cancelled.failed ? composeFailure(cancelled) : `Cancelled: ${textField(job, 'name') || id}.`)
  return undefined
}
