import { zoneOf } from '../../../zones.ts'
import { calculate, equation } from '../calculate.ts'
import { failureOf } from '../compose.ts'
import { record, rows, textField } from '../conversation.ts'
import { readForeign } from '../foreign.ts'
import { LANGUAGES, type Language, sentence } from '../languages.ts'
import { ADD_PROVIDER } from '../notice.ts'
import { addressesIn, readPage } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { capitalise, clip, joinList, quoted } from '../text.ts'
import {
  call,
  type Intent,
  type Outcome,
  type Scene,
  type Script,
  type Slots,
  type Step,
  say,
  speak,
} from '../types.ts'
import { splitSpoken } from '../when.ts'
import { reminderGoal } from './jobs.ts'
import { readClock } from './numbers.ts'

/** Letters of languages that this model has no forms for. */
const OTHER_SCRIPT =
  /[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u0e7f\u10a0-\u10ff\u1100-\u11ff\uac00-\ud7af]/g
const SUM = /(?<![\d.,+\-*/^%()x×÷:²³])(?:sqrt|√)?[-(\d](?:[\d .,+\-*/^%()x×÷:²³]|of){0,80}[\d)%²³]/

/**
 * Greets, remembers, recalls, tells the time, computes and reads pages in eight languages, and states its
 * limits.
 */
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
    if (language)
      return ACTS[slots.kind ?? '']?.(slots, language, scene) ?? speak(sentence(language, 'limit'))
    const known = joinList(LANGUAGES.map(({ name }) => name))
    return speak(
      `I cannot read this script. I know some phrases in ${known}, and more in English. ${ADD_PROVIDER}`,
    )
  },
}

const ACTS: Record<string, (slots: Slots, language: Language, scene: Scene) => Script> = {
  greet: (_, language) => speak(sentence(language, 'hello')),
  thanks: (_, language) => speak(sentence(language, 'welcome')),
  help: (_, language) => speak(sentence(language, 'help')),
  sum: ({ text = '' }, language) => speak(sumIn(text, language) ?? sentence(language, 'limit')),
  time: tellTime,
  date: tellTime,
  remember,
  name: remember,
  recall,
  page,
  remind,
}

/** Calls a tool; says so in the language if it is not available or failed. */
async function* attempt(
  name: string,
  input: Outcome['input'],
  language: Language,
  scene: Scene,
): AsyncGenerator<Step, Outcome | undefined, Outcome> {
  if (!scene.tools.has(name)) return yield* speak(sentence(language, 'lacks', { tool: name }))
  return yield call(name, input, failureIn(language))
}

const failureIn = (language: Language) => (outcome: Outcome) => {
  const { kind, reason } = failureOf(outcome)
  return sentence(language, kind === 'error' ? 'failed' : 'refused', { reason: clip(reason, 300) })
}

async function* remember({ content, name = '', text = '' }: Slots, language: Language, scene: Scene): Script {
  const input = content ? { content } : { content: text, importance: 0.8 }
  if (!(yield* attempt('memory_save', input, language, scene))) return
  const shown = content?.replace(/[.。]{1,9}$/, '') ?? ''
  yield say(sentence(language, content ? 'saved' : 'met', { content: shown, name }))
}

async function* recall({ query = '' }: Slots, language: Language, scene: Scene): Script {
  const found = yield* attempt('memory_search', { query, limit: 5 }, language, scene)
  if (!found) return
  const lines = rows(found.output, 'results').map((row) => `- ${clip(textField(row, 'content'), 300)}`)
  const head = sentence(language, lines.length > 0 ? 'found' : 'nothing')
  yield say(lines.length > 0 ? `${head}\n\n${lines.join('\n')}` : head)
}

async function* tellTime({ kind = '', place = '' }: Slots, language: Language, scene: Scene): Script {
  const zone = zoneOf(place)
  if (place !== '' && !zone) return yield* speak(sentence(language, 'noPlace', { place }))
  const { instant, time, timezone } = yield* readClock(zone, scene, failureIn(language))
  const format = new Intl.DateTimeFormat(language.code, { timeZone: timezone, dateStyle: 'full' })
  yield say(sentence(language, kind, { time, date: format.format(instant), zone: timezone }))
}

async function* page({ text = '' }: Slots, language: Language, scene: Scene): Script {
  const read = yield* readPage(addressesIn(text)[0] ?? '', scene)
  if (typeof read === 'string') return yield* speak(read)
  const head = sentence(language, 'page', { title: `**${read.title}**` })
  yield say(`${head}\n\n${quoted(summarise(read.text, { title: read.title }))}`)
  return read
}

/** A reminder; its task and its time come in either order. */
async function* remind({ rest = '' }: Slots, language: Language, scene: Scene): Script {
  const { code, lead } = language
  if (!lead) return yield* speak(sentence(language, 'limit'))
  const when = await splitSpoken(rest, scene)
  const task = (when?.rest ?? rest).replace(lead, '').replace(/[\s,]{1,9}$/, '')
  if ((!when || task === '') && scene.tools.has('schedule_job'))
    return yield* speak(sentence(language, 'ask'))
  const words = when?.words ?? ''
  const input = { name: clip(capitalise(task), 60), goal: reminderGoal(task), when: words }
  const made = yield* attempt('schedule_job', input, language, scene)
  if (!made) return
  const next = Date.parse(textField(made.output, 'next_run_at'))
  // The zone of the person, which the job has and the machine need not.
  const timeZone = textField(record(made.output).schedule, 'timezone') || scene.timezone
  const format = new Intl.DateTimeFormat(code, { timeZone, dateStyle: 'full', timeStyle: 'short' })
  yield say(sentence(language, 'set', { task, moment: Number.isNaN(next) ? words : format.format(next) }))
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

/**
 * The sum in a sentence, when all its digits are in the sum. Decimal commas become points where they are
 * used.
 */
function sumIn(text: string, { code }: Language): string | null {
  const points = code === 'ja' || code === 'zh'
  const written = points ? text : text.replace(/(?<=\d)\.(?=\d{3}\b)/g, '').replace(/(?<=\d),(?=\d)/g, '.')
  const signed = SIGNS.reduce((rest, [words, sign]) => rest.replace(words, sign), written)
  const sum = SUM.exec(signed)?.[0].trim() ?? ''
  const whole = sum.replace(/\D/g, '') === signed.replace(/\D/g, '')
  const result = whole && /[-+*/^%×÷:²³]|of|sqrt|√/.test(sum) ? calculate(sum) : null
  return result?.ok ? equation(result) : null
}
