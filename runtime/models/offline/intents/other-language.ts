import { zoneOf } from '../../../zones.ts'
import { calculate, equation } from '../calculate.ts'
import { failureOf } from '../compose.ts'
import { materialOf, record, rows, textField } from '../conversation.ts'
import { type Day, dayNumber, readDay, wallClock } from '../dates.ts'
import { readForeign } from '../foreign.ts'
import { inEnglish, isHan } from '../gloss.ts'
import { LANGUAGES, type Language, sentence } from '../languages.ts'
import { ADD_PROVIDER } from '../notice.ts'
import { addressesIn, readPage } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { capitalise, clip, isStopWord, joinList, quoted, similarWords, unquote, words } from '../text.ts'
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
import { draw, flip } from './chance.ts'
import { pick, reminderGoal } from './jobs.ts'
import { isStated, quotesFor } from './memory.ts'
import { CURRENCY, readClock } from './numbers.ts'

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
    const { language, slots } = spoken
    const act = spoken.act === 'convert' && !conversionIn(slots, language) ? undefined : spoken.act
    const kind = act ?? (addressesIn(text)[0] ? 'page' : sumIn(text, language) ? 'sum' : 'limit')
    const score = act ? 0.94 : kind === 'limit' ? 0.45 : 0.95
    return { score, slots: { ...slots, kind, language: language.code, text } }
  },
  run(slots, scene) {
    const language = LANGUAGES.find(({ code }) => code === slots.language)
    if (language) return ACTS[slots.kind ?? '']?.(slots, language, scene) ?? unmatched(slots, language, scene)
    const known = joinList(LANGUAGES.map(({ name }) => name))
    return speak(
      `I cannot read this script. I know some phrases in ${known}, and more in English. ${ADD_PROVIDER}`,
    )
  },
}

const ACTS: Record<string, (slots: Slots, language: Language, scene: Scene) => Script> = {
  greet: (_, language) => speak(sentence(language, 'hello')),
  who: (_, language) => speak(sentence(language, 'notice')),
  thanks: (_, language) => speak(sentence(language, 'welcome')),
  help: (_, language) => speak(sentence(language, 'help')),
  sum: ({ text = '' }, language) => speak(sumIn(text, language) ?? sentence(language, 'limit')),
  time: tellTime,
  date: tellTime,
  tomorrow: tellTime,
  coin: (_, language) => speak(flip(sentence(language, 'coin').split('/'))),
  dice: () => speak(String(draw(6))),
  until: tellDay,
  day: tellDay,
  convert: (slots, language) => speak(conversionIn(slots, language) ?? ''),
  jobs: listReminders,
  cancel: cancelReminder,
  read: readFile,
  files: listFiles,
  write: writeFile,
  append: writeFile,
  add: addToList,
  list: showList,
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

const THAT = /^(?:das|dies|ça|cela|es[ot]o?|lo|questo|ciò|isso|isto|dat|dit|これ|それ|这个?|那个?)$/i

async function* remember(slots: Slots, language: Language, scene: Scene): Script {
  const { name = '', text = '' } = slots
  const content = THAT.test(slots.content ?? '') ? clip(scene.material?.text ?? '', 2000) : slots.content
  if (content === '') return yield* speak(sentence(language, 'limit'))
  const input = content ? { content } : { content: text, importance: 0.8 }
  const saved = yield* attempt('memory_save', input, language, scene)
  if (!saved) return
  if (textField(saved.output, 'note')) return yield* speak(sentence(language, 'secret'))
  const shown = content?.replace(/[.。]{1,9}$/, '') ?? ''
  yield say(sentence(language, content ? 'saved' : 'met', { content: shown, name }))
  return { title: '', text: content ?? '' }
}

async function* recall({ query = '' }: Slots, language: Language, scene: Scene): Script {
  const found = yield* attempt('memory_search', { query, limit: 5 }, language, scene)
  if (!found) return
  const scored = rows(found.output, 'results')
    .map((row) => textField(row, 'content'))
    .filter((text) => isStated(text, scene))
    .map((text) => ({ text, fit: fitOf(query, text, language) }))
  const best = Math.max(0.01, ...scored.map(({ fit }) => fit))
  const lines = scored.filter(({ fit }) => fit >= best).map(({ text }) => `- ${clip(text, 300)}`)
  const head = sentence(language, lines.length > 0 ? 'found' : 'nothing')
  yield say(lines.length > 0 ? `${head}\n\n${lines.join('\n')}` : head)
}

/** "de", "é", "op": too short to name anything, except in Chinese and Japanese. */
const isShort = (word: string): boolean => word.length < 3 && /^\p{Script=Latin}/u.test(word)

/** What a request is about, without the words that every sentence has. */
const subjectOf = (text: string, language: Language): string =>
  words(text)
    .filter((word) => !isShort(word) && !isStopWord(word) && !language.words.has(word))
    .join(' ')

/** The share of what was asked about that a memory names, 0 to 1. */
function fitOf(query: string, memory: string, language: Language): number {
  const subject = subjectOf(query, language)
  if (subject === '') return 1
  // Chinese and Japanese have no spaces between words, so their characters are compared, without hiragana.
  const letters = [...new Set(subject.replace(/[\s\u3040-\u309f]/g, ''))]
  const inHan = /[\u3040-\u30ff\u4e00-\u9fff]/.test(subject)
  return inHan
    ? letters.filter((letter) => memory.includes(letter)).length / Math.max(letters.length, 1)
    : similarWords(subject, memory)
}

/** A question that no form matches may be about the page that was read; if not, the model states its limits. */
function unmatched({ text = '' }: Slots, language: Language, scene: Scene): Script {
  const passage = quotesFor(subjectOf(text, language), scene)
  const title = `**${scene.material?.title}**`
  if (passage) return speak(`${sentence(language, 'page', { title })}\n\n${passage}`)
  return speak(sentence(language, 'limit'))
}

async function* listReminders(_: Slots, language: Language, scene: Scene): Script {
  const listed = yield* attempt('list_jobs', {}, language, scene)
  if (!listed) return
  yield say(remindersOf(listed, language, scene))
}

function remindersOf(listed: Outcome, language: Language, scene: Scene): string {
  const lines = rows(listed.output, 'jobs').map((job) => {
    const moment = momentOf(job, language, scene)
    return `- ${textField(job, 'name')}${moment ? ` (${moment})` : ''}`
  })
  return lines.length > 0
    ? `${sentence(language, 'jobs')}\n\n${lines.join('\n')}`
    : sentence(language, 'noJobs')
}

async function* cancelReminder(slots: Slots, language: Language, scene: Scene): Script {
  const listed = yield* attempt('list_jobs', {}, language, scene)
  if (!listed) return
  const job = pick(subjectOf(slots.name ?? '', language), rows(listed.output, 'jobs'), 'name')
  if (!job) return yield* speak(remindersOf(listed, language, scene))
  const cancelled = yield* attempt('cancel_job', { id: textField(job, 'id') }, language, scene)
  if (cancelled) yield say(sentence(language, 'cancelled', { name: textField(job, 'name') }))
}

async function* listFiles(_: Slots, language: Language, scene: Scene): Script {
  const listed = yield* attempt('files', { action: 'list' }, language, scene)
  if (!listed) return
  yield say(bullets(rows(listed.output, 'entries'), 'path') || sentence(language, 'empty'))
}

async function* writeFile(
  { kind: action, path = '', content = '' }: Slots,
  language: Language,
  scene: Scene,
): Script {
  const written = yield* attempt('files', { action, path, content: unquote(content) }, language, scene)
  if (!written) return
  yield say(sentence(language, 'wrote', { path }))
}

async function* addToList({ content = '' }: Slots, language: Language, scene: Scene): Script {
  let added: Outcome | undefined
  for (const text of unquote(content).split(/ ?[,、，] ?| (?:und|et|y|e|en) |和/)) {
    added = yield* attempt('todo', { action: 'add', text }, language, scene)
    if (!added) return
  }
  yield say(bullets(rows(added?.output, 'items'), 'text'))
}

async function* showList(_: Slots, language: Language, scene: Scene): Script {
  const listed = yield* attempt('todo', { action: 'list' }, language, scene)
  if (!listed) return
  yield say(bullets(rows(listed.output, 'items'), 'text') || sentence(language, 'empty'))
}

const bullets = (items: readonly Record<string, unknown>[], key: string): string =>
  items
    .map((item) => `- ${item.done === true ? `~~${textField(item, key)}~~` : textField(item, key)}`)
    .join('\n')

async function* readFile({ path = '' }: Slots, language: Language, scene: Scene): Script {
  const read = yield* attempt('files', { action: 'read', path }, language, scene)
  const material = read && materialOf(read)
  if (!material) return
  yield say(`${sentence(language, 'file', { path })}\n\n${quoted(clip(material.text, 4000))}`)
  return material
}

async function* tellTime({ kind = '', place = '' }: Slots, language: Language, scene: Scene): Script {
  const zone = zoneOf(place)
  if (place !== '' && !zone) return yield* speak(sentence(language, 'noPlace', { place }))
  const { time, timezone, year, month, day } = yield* readClock(zone, scene, failureIn(language))
  const date = written({ year, month, day: day + (kind === 'tomorrow' ? 1 : 0) }, language)
  yield say(sentence(language, kind, { time, date, zone: timezone }))
}

const written = ({ year, month, day }: Day, { code }: Language): string =>
  new Intl.DateTimeFormat(code, { timeZone: 'UTC', dateStyle: 'full' }).format(Date.UTC(year, month - 1, day))

const COLONS: Record<string, string> = { fr: ' : ', ja: '：', zh: '：' }

/** The day that a phrase names, or the days until then. */
async function* tellDay(slots: Slots, language: Language, scene: Scene): Script {
  const phrase = slots.date ?? slots.later ?? ''
  const day = await readDay(inEnglish(phrase, language), scene, true)
  if (!day) return yield* unmatched(slots, language, scene)
  const date = written(day, language)
  const ahead = dayNumber(day) - dayNumber(wallClock(scene.now, scene.timezone))
  if (slots.kind === 'day' || ahead < 1)
    return yield* speak(`${capitalise(phrase)}${COLONS[language.code] ?? ': '}${date}`)
  const days = new Intl.NumberFormat(language.code, { style: 'unit', unit: 'day', unitDisplay: 'long' })
  return yield* speak(sentence(language, 'until', { days: days.format(ahead).replace(/ (?=日)/, ''), date }))
}

async function* page({ text = '' }: Slots, language: Language, scene: Scene): Script {
  const read = yield* readPage(addressesIn(text)[0] ?? '', scene)
  if (typeof read === 'string') return yield* speak(read)
  const head = sentence(language, 'page', { title: `**${read.title}**` })
  yield say(`${head}\n\n${quoted(summarise(read.text, { title: read.title }))}`)
  return read
}

/** Orders to wake somebody, which say nothing else. */
const WAKE = /^(?:weck|réveill|despiért|svegli|acord|wek)|起こ|叫醒|起床/i

/** A reminder; its task and its time come in either order. */
async function* remind({ rest = '', name = '', text = '' }: Slots, language: Language, scene: Scene): Script {
  const when = await splitSpoken(rest, scene, language)
  const left = (when?.rest ?? rest).replace(language.lead, '').replace(/[\s,]{1,9}$/, '')
  // What is left of "an alarm for 7" is a preposition.
  const usual = WAKE.test(text) ? '⏰' : capitalise(name)
  const task = usual && left.length < 5 ? usual : left
  if ((!when || task === '') && scene.tools.has('schedule_job'))
    return yield* speak(sentence(language, 'ask'))
  const spoken = when?.words ?? ''
  const input = { name: clip(capitalise(task), 60), goal: reminderGoal(task), when: spoken }
  const made = yield* attempt('schedule_job', input, language, scene)
  if (!made) return
  yield say(sentence(language, 'set', { task, moment: momentOf(made.output, language, scene) || spoken }))
}

/** When a job runs next; empty when it does not. */
function momentOf(job: unknown, { code }: Language, scene: Scene): string {
  const next = Date.parse(textField(job, 'next_run_at'))
  // The zone of the person, which the job has and the machine need not.
  const timeZone = textField(record(job).schedule, 'timezone') || scene.timezone
  const format = new Intl.DateTimeFormat(code, { timeZone, dateStyle: 'full', timeStyle: 'short' })
  return Number.isNaN(next) ? '' : format.format(next)
}

/** Words for signs in the eight languages. */
const SIGNS: readonly [RegExp, string][] = [
  [
    /(?:(?:quadrat)?wurzel (?:aus|von)|racine (?:carrée )?de|raíz cuadrada de|radice quadrata di|raiz quadrada de|(?:vierkants)?wortel (?:van|uit)) (?=\d)/giu,
    'sqrt',
  ],
  [/(\d[\d.]{0,20})(?:の|的) ?(\d[\d.]{0,20}) ?(?:%|パーセント)/gu, '$2% of $1'],
  [/(\d[\d.]{0,20})(?:の|的)平方根/gu, 'sqrt$1'],
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
function sumIn(text: string, language: Language): string | null {
  const signed = SIGNS.reduce((rest, [words, sign]) => rest.replace(words, sign), withPoints(text, language))
  const sum = SUM.exec(signed)?.[0].trim() ?? ''
  const whole = sum.replace(/\D/g, '') === signed.replace(/\D/g, '')
  const result = whole && /[-+*/^%×÷:²³]|of|sqrt|√/.test(sum) ? calculate(sum) : null
  return result?.ok ? inWords(equation(result), language) : null
}

/** "10 mi ≈ 16.09 km"; for currencies, that it knows no rates. Null when it is no conversion. */
function conversionIn({ from = '', to, into = to }: Slots, language: Language): string | null {
  if (!into) return null
  if (CURRENCY.test(from) && CURRENCY.test(into)) return sentence(language, 'rates')
  const result = calculate(
    `${inEnglish(withPoints(from, language), language)} in ${inEnglish(into, language)}`,
  )
  return result?.ok ? inWords(equation(result), language) : null
}

const withPoints = (text: string, language: Language): string =>
  isHan(language) ? text : text.replace(/(?<=\d)\.(?=\d{3}\b)/g, '').replace(/(?<=\d),(?=\d)/g, '.')

/** An equation with the separators of the language. */
function inWords(text: string, language: Language): string {
  const word = { de: 'von', fr: 'de', es: 'de', it: 'di', pt: 'de', nl: 'van' }[language.code]
  if (!word) return text.replace(' of ', ' × ').replace(/sqrt ?/, '√')
  const thousands = language.code === 'fr' ? '\u202f' : '.'
  return text
    .replace(' of ', ` ${word} `)
    .replace(/sqrt ?/, '√')
    .replace(/(?<=\d)[.,](?=\d)/g, (mark) => (mark === '.' ? ',' : thousands))
}
