import { calculate } from '../calculate/index.ts'
import { isZone, wallClock } from '../dates/clock.ts'
import { zoneOf } from '../dates/zones.ts'
import { readForeign } from '../languages/detect.ts'
import { LANGUAGES } from '../languages/index.ts'
import type { Language } from '../languages/language.ts'
import { ADD_PROVIDER } from '../notice.ts'
import { failureOf, rows, textField } from '../outcome.ts'
import { addressesIn, readPage } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { clip, joinList, quoted } from '../text.ts'
import { call, type Intent, matched, type Outcome, type Scene, type Script, say } from '../types.ts'
import { remindIn } from './spoken-reminder.ts'

/** Letters of languages that this model has no phrases for. */
const OTHER_SCRIPT =
  /[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u0e7f\u10a0-\u10ff\u1100-\u11ff\uac00-\ud7af]/g
const SUM = /(?:sqrt|√)?[-(\d][\d\s.,+\-*/^%()x×÷:²³]*[\d)%²³]/

/** Greets, remembers, recalls, tells the time, computes and reads pages in eight languages, and says its limit. */
export const otherLanguage: Intent = {
  name: 'other_language',
  tools: [],
  examples: [],
  content: true,
  match(text) {
    if ((text.match(OTHER_SCRIPT)?.length ?? 0) > text.replace(/\s/g, '').length / 2)
      return matched(0.45, { kind: 'script' })
    const spoken = readForeign(text)
    if (!spoken) return null
    const { language, act, slots } = spoken
    const kind = act ?? (addressesIn(text)[0] ? 'page' : sumIn(text, language) ? 'sum' : 'limit')
    return matched(act ? 0.94 : kind === 'limit' ? 0.45 : 0.95, {
      ...slots,
      kind,
      language: language.code,
      text,
    })
  },
  async *run({ slots }, scene) {
    const language = LANGUAGES.find(({ code }) => code === slots.language)
    if (!language)
      yield say(
        `I cannot read this script. I know some phrases in ${joinList(LANGUAGES.map(({ name }) => name))}, and more in English. ${ADD_PROVIDER}`,
      )
    else yield* (ACTS[slots.kind ?? ''] ?? limit)(slots, language, scene)
    return undefined
  },
}

type Slots = Record<string, string>

async function* limit(_: Slots, { say: phrases }: Language): Script {
  yield say(phrases.limit)
  return undefined
}

const ACTS: Record<string, (slots: Slots, language: Language, scene: Scene) => Script> = {
  greet: (_, { say: phrases }) => fixed(phrases.hello),
  thanks: (_, { say: phrases }) => fixed(phrases.welcome),
  help: (_, { say: phrases }) => fixed(phrases.help),
  time: (slots, language, scene) => clock('time', slots, language, scene),
  date: (slots, language, scene) => clock('date', slots, language, scene),
  sum: ({ text = '' }, language) => fixed(sumIn(text, language) ?? language.say.limit),
  remember,
  name: remember,
  recall,
  page,
  remind: ({ rest = '' }, language, scene) => remindIn(rest, language, scene),
}

async function* fixed(text: string): Script {
  yield say(text)
  return undefined
}

async function* remember(
  { content, name = '', text = '' }: Slots,
  { say: phrases }: Language,
  scene: Scene,
): Script {
  if (!scene.tools.has('memory_save')) return yield* fixed(phrases.lacks('memory_save'))
  const input = content ? { content } : { content: text, importance: 0.8 }
  const saved = yield call('memory_save', input)
  yield say(
    saved.failed
      ? failure(saved, phrases)
      : content
        ? phrases.saved(content.replace(/[.。]+$/, ''))
        : phrases.met(name),
  )
  return undefined
}

async function* recall({ query = '' }: Slots, { say: phrases }: Language, scene: Scene): Script {
  if (!scene.tools.has('memory_search')) return yield* fixed(phrases.lacks('memory_search'))
  const found = yield call('memory_search', { query, limit: 5 })
  const contents = rows(found.output, 'results').map((row) => `- ${clip(textField(row, 'content'), 300)}`)
  if (found.failed) yield say(failure(found, phrases))
  else yield say(contents.length > 0 ? `${phrases.found}\n\n${contents.join('\n')}` : phrases.nothing)
  return undefined
}

async function* clock(kind: string, { place = '' }: Slots, language: Language, scene: Scene): Script {
  const zone = place === '' ? undefined : zoneOf(place)
  if (place !== '' && !zone) return yield* fixed(language.say.noPlace(place))
  if (!scene.tools.has('time')) return yield* fixed(told(kind, scene.now, zone ?? scene.timezone, language))
  const asked = yield call('time', zone ? { timezone: zone } : {})
  const instant = Date.parse(textField(asked.output, 'iso'))
  const shown = textField(asked.output, 'timezone')
  if (asked.failed) yield say(failure(asked, language.say))
  else if (Number.isNaN(instant) || !isZone(shown))
    yield say(`${textField(asked.output, 'local')} (${shown})`)
  else yield say(told(kind, instant, shown, language))
  return undefined
}

function told(kind: string, instant: number, zone: string, { code, say: phrases }: Language): string {
  const { time, timezone } = wallClock(instant, zone)
  const date = new Intl.DateTimeFormat(code, { timeZone: timezone, dateStyle: 'full' }).format(instant)
  return kind === 'time' ? phrases.time(time, date, timezone) : phrases.date(date, timezone)
}

async function* page({ text = '' }: Slots, { say: phrases }: Language, scene: Scene): Script {
  const read = yield* readPage(addressesIn(text)[0] ?? '', scene)
  if (typeof read === 'string') return yield* fixed(read)
  yield say(`${phrases.page(`**${read.title}**`)}\n\n${quoted(summarise(read.text, { title: read.title }))}`)
  return read
}

/** Decimal commas are points to the calculator, except in the languages that write points. */
function sumIn(text: string, { code }: Language): string | null {
  const sum = SUM.exec(text)?.[0].trim()
  const written =
    sum && !['ja', 'zh'].includes(code)
      ? sum.replace(/(?<=\d)\.(?=\d{3}\b)/g, '').replace(/(?<=\d),(?=\d)/g, '.')
      : sum
  const result = written ? calculate(written) : null
  return result?.ok ? `${result.read} = ${result.value}`.replace('= ≈', '≈') : null
}

function failure(outcome: Outcome, phrases: Language['say']): string {
  const { kind, reason } = failureOf(outcome)
  return kind === 'error' ? phrases.failed(clip(reason, 300)) : phrases.refused
}
