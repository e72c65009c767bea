import { zoneOf } from '../../../zones.ts'
import { calculate, equation } from '../calculate.ts'
import { failureOf } from '../compose.ts'
import { record, rows, textField } from '../conversation.ts'
import { wallClock } from '../dates.ts'
import { readForeign } from '../foreign.ts'
import { LANGUAGES, type Language } from '../languages.ts'
import { ADD_PROVIDER } from '../notice.ts'
import { addressesIn, readPage } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { capitalise, clip, joinList, quoted } from '../text.ts'
import { call, type Intent, type Outcome, type Scene, type Script, type Slots, say, speak } from '../types.ts'
import { splitSpoken } from '../when.ts'
import { reminderGoal } from './jobs.ts'
import { clockOf, readClock } from './numbers.ts'

/** Letters of languages that this model has no forms for. */
const OTHER_SCRIPT =
  /[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u0e7f\u10a0-\u10ff\u1100-\u11ff\uac00-\ud7af]/g
const SUM = /(?:sqrt|√)?[-(\d](?:[\d\s.,+\-*/^%()x×÷:²³]|of)*[\d)%²³]/

/** Greets, remembers, recalls, tells the time, computes and reads pages in eight languages, and says its limit. */
export const otherLanguage: Intent = {
  tools: [],
  examples: [],
  content: true,
  rules: [],
  refine(_, text) {
    if ((text.match(OTHER_SCRIPT)?.length ?? 0) > text.replace(/\s/g, '').length / 2)
      return { score: 0.45, slots: {} }
    const spoken = readForeign(text)
    if (!spoken) return null
    const { language, act, slots } = spoken
    const kind = act ?? (addressesIn(text)[0] ? 'page' : sumIn(text, language) ? 'sum' : 'limit')
    const score = act ? 0.94 : kind === 'limit' ? 0.45 : 0.95
    return { score, slots: { ...slots, kind, language: language.code, text } }
  },
  run(slots, scene) {
    const language = LANGUAGES.find(({ code }) => code === slots.language)
    if (language) return ACTS[slots.kind ?? '']?.(slots, language, scene) ?? speak(language.say.limit)
    const known = joinList(LANGUAGES.map(({ name }) => name))
    return speak(
      `I cannot read this script. I know some phrases in ${known}, and more in English. ${ADD_PROVIDER}`,
    )
  },
}

const ACTS: Record<string, (slots: Slots, language: Language, scene: Scene) => Script> = {
  greet: (_, language) => speak(language.say.hello),
  thanks: (_, language) => speak(language.say.welcome),
  help: (_, language) => speak(language.say.help),
  time: clock,
  date: clock,
  sum: ({ text = '' }, language) => speak(sumIn(text, language) ?? language.say.limit),
  remember,
  name: remember,
  recall,
  page,
  remind,
}

async function* remember(
  { content, name = '', text = '' }: Slots,
  { say: words }: Language,
  scene: Scene,
): Script {
  if (!scene.tools.has('memory_save')) return yield* speak(words.lacks('memory_save'))
  const saved = yield call('memory_save', content ? { content } : { content: text, importance: 0.8 })
  const done = content ? words.saved(content.replace(/[.。]+$/, '')) : words.met(name)
  return yield* speak(saved.failed ? failure(saved, words) : done)
}

async function* recall({ query = '' }: Slots, { say: words }: Language, scene: Scene): Script {
  if (!scene.tools.has('memory_search')) return yield* speak(words.lacks('memory_search'))
  const found = yield call('memory_search', { query, limit: 5 })
  const lines = rows(found.output, 'results').map((row) => `- ${clip(textField(row, 'content'), 300)}`)
  if (found.failed) return yield* speak(failure(found, words))
  return yield* speak(lines.length > 0 ? `${words.found}\n\n${lines.join('\n')}` : words.nothing)
}

async function* clock({ kind, place = '' }: Slots, { code, say: words }: Language, scene: Scene): Script {
  const zone = zoneOf(place)
  if (place !== '' && !zone) return yield* speak(words.noPlace(place))
  const asked = yield* readClock(zone, scene)
  if (asked.failed) return yield* speak(failure(asked, words))
  const { instant, timezone } = clockOf(asked, scene)
  const date = new Intl.DateTimeFormat(code, { timeZone: timezone, dateStyle: 'full' }).format(instant)
  const { time } = wallClock(instant, timezone)
  return yield* speak(kind === 'time' ? words.time(time, date, timezone) : words.date(date, timezone))
}

async function* page({ text = '' }: Slots, { say: words }: Language, scene: Scene): Script {
  const read = yield* readPage(addressesIn(text)[0] ?? '', scene)
  if (typeof read === 'string') return yield* speak(read)
  yield say(`${words.page(`**${read.title}**`)}\n\n${quoted(summarise(read.text, { title: read.title }))}`)
  return read
}

/** A reminder; its task and its time come in either order. */
async function* remind(
  { rest = '' }: Slots,
  { code, reminders, say: words }: Language,
  scene: Scene,
): Script {
  if (!reminders) return yield* speak(words.limit)
  if (!scene.tools.has('schedule_job')) return yield* speak(words.lacks('schedule_job'))
  const when = await splitSpoken(rest, scene)
  const task = (when?.rest ?? rest).replace(reminders.lead, '').replace(/[\s,]+$/, '')
  if (!when || task === '') return yield* speak(reminders.ask)
  const input = { name: clip(capitalise(task), 60), goal: reminderGoal(task), when: when.words }
  const made = yield call('schedule_job', input)
  const next = Date.parse(textField(made.output, 'next_run_at'))
  if (made.failed) return yield* speak(failure(made, words))
  if (Number.isNaN(next)) return yield* speak(reminders.set(task, when.words))
  // The zone of the person, which the job has and the machine need not.
  const timeZone = textField(record(made.output).schedule, 'timezone') || scene.timezone
  const moment = new Intl.DateTimeFormat(code, { timeZone, dateStyle: 'full', timeStyle: 'short' }).format(
    next,
  )
  return yield* speak(reminders.set(task, moment))
}

/** Words for signs in the eight languages. */
const SIGNS: readonly [RegExp, string][] = [
  [
    /(?<=%|prozent|pour ?cents?|por ciento|por cento|per cento|procent|パーセント) ?(?:von|de|di|do|da|van|の)(?=\s?\d)/giu,
    ' of ',
  ],
  [/ ?(?:prozent|pour ?cents?|por ciento|por cento|per cento|procent|パーセント)/giu, '%'],
  [/(?<=\d) ?(?:mal|fois|por|per|vezes|keer|maal|かける|乘以|乘|乗) ?(?=\d)/giu, ' * '],
  [/(?<=\d) ?(?:plus|und|et|más|y|più|mais|e|en|足す|たす|加) ?(?=\d)/giu, ' + '],
  [/(?<=\d) ?(?:minus|weniger|moins|menos|meno|min|引く|ひく|减) ?(?=\d)/giu, ' - '],
  [
    /(?<=\d) ?(?:geteilt durch|durch|divisé par|dividido (?:por|entre)|entre|diviso(?: per)?|gedeeld door|割る|わる|除以) ?(?=\d)/giu,
    ' / ',
  ],
]

/** The sum in a sentence, when all its digits are in the sum. Decimal commas become points where they are used. */
function sumIn(text: string, { code }: Language): string | null {
  const points = code === 'ja' || code === 'zh'
  const written = points ? text : text.replace(/(?<=\d)\.(?=\d{3}\b)/g, '').replace(/(?<=\d),(?=\d)/g, '.')
  const signed = SIGNS.reduce((rest, [words, sign]) => rest.replace(words, sign), written)
  const sum = SUM.exec(signed)?.[0].trim() ?? ''
  const whole = sum.replace(/\D/g, '') === signed.replace(/\D/g, '')
  const result = whole && /[-+*/^%×÷:²³]|of|sqrt|√/.test(sum) ? calculate(sum) : null
  return result?.ok ? equation(result) : null
}

function failure(outcome: Outcome, words: Language['say']): string {
  const { kind, reason } = failureOf(outcome)
  return kind === 'error' ? words.failed(clip(reason, 300)) : words.refused
}
