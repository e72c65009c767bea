import { calculate as calculated, equation } from '../../../english/calculate.ts'
import { readDates } from '../../../english/dates.ts'
import { clockIn } from '../../../time.ts'
import { zoneOf } from '../../../zones/places.ts'
import { textField } from '../conversation.ts'
import { isUsable } from '../match.ts'
import { ADD_FOR_MORE, NOTICE } from '../notice.ts'
import phrases from '../phrases.json' with { type: 'json' }
import { joinList, longDate } from '../text.ts'
import { type Behaviour, type Scene, type Script, say, speak, tryCall } from '../types.ts'

/** Dates, telephone numbers and versions look like sums. */
const NO_SUM = /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\+?\d{2,}(?:[ -]\d{2,}){2,})$/

export const calculate: Behaviour = {
  reads(text) {
    const result = NO_SUM.test(text) ? null : calculated(text)
    return result && (result.ok || /\d/.test(text)) ? { score: 0.96, slots: { rest: text } } : null
  },
  async *run({ rest = '' }) {
    const text = answer(rest)
    yield say(text)
    return { title: 'the result', text }
  },
}

function answer(rest: string): string {
  const result = calculated(rest)
  if (result) return result.ok ? equation(result) : `I cannot compute ${result.read}: ${result.reason}.`
  if (rest === '') return 'What should I calculate?'
  return `I could not read "${rest}" as a calculation. I take + - * / ^ %, parentheses, sqrt and percentages such as "15% of 80".`
}

export const time: Behaviour = {
  accepts: ({ place = '' }) => !/\d|\b(?:days?|weeks?|months?|years?)$/i.test(place),
  async *run({ kind, place = '', when = '' }, scene) {
    const zone = place === '' || /^(?:here|my (?:city|zone|place))$/i.test(place) ? scene.timezone : zoneOf(place)
    if (!zone) {
      const question = `I do not know the time zone of "${place}".\nWhich time zone do you mean, for example Asia/Tokyo?`
      return yield* speak(question)
    }
    if (when) return yield* speak(await dateOf(when, scene))
    return yield* tellTime(zone, kind === 'date', zone === scene.timezone ? {} : { timezone: zone }, scene)
  },
}

async function dateOf(words: string, scene: Scene): Promise<string> {
  const [date] = await readDates(words, scene, true)
  if (!date) return `I could not read a date in "${words}". Write it as in "3 March 2027" or "in 3 weeks".`
  const { year, month, day } = date.day
  return `That is ${longDate(Date.UTC(year, month - 1, day), 'UTC')}.`
}

async function* tellTime(zone: string, dateOnly: boolean, input: Record<string, string>, scene: Scene): Script {
  let now = scene.now
  if (scene.tools.has('time')) {
    const answer = yield tryCall('time', input)
    now = Date.parse(textField(answer.output, 'iso')) || now
  }
  const clock = clockIn(zone, now).local.slice(11, 16)
  const date = longDate(now, zone)
  return yield* speak(`It is ${dateOnly ? '' : `${clock} on `}${date} (${zone}).`)
}

const answers = new Map(Object.entries(phrases.answers))

export const greet: Behaviour = {
  run: ({ answer: key = '' }) => speak(`${key === 'who' ? `${NOTICE} ` : ''}${answers.get(key)}`),
}

export const help: Behaviour = {
  run: ({ kind }, scene) => speak(kind === 'provider' ? phrases.provider_steps : abilities(scene)),
}

function abilities(scene: Scene): string {
  const titled = scene.intents.filter(({ title }) => title)
  const lines = titled
    .filter((intent) => isUsable(intent, scene))
    .map(({ title, examples }) => {
      const quoted = examples.slice(0, 2).map((example) => `"${example}"`)
      return `- **${title}**: ${joinList(quoted, 'or')}`
    })
  const missing = titled.filter((one) => !isUsable(one, scene)).map(({ title = '' }) => title.toLowerCase())
  const absent = missing.length > 0 ? `\n\nNot available in this conversation: ${joinList(missing)}.` : ''
  return `${NOTICE} Here is what I can do now:\n\n${lines.join('\n')}${absent}\n\n${ADD_FOR_MORE}`
}
