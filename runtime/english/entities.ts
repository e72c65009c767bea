import type { EntityType } from '../memory/schema.ts'
import { stopWords, wordsOf } from '../memory/words.ts'
import data from './words.json' with { type: 'json' }

export interface Entity {
  name: string
  type: EntityType
}

/** compromise reads about 40 characters or 7 words in a millisecond without yielding: half a second at most. */
const [MAX_CHARACTERS, MAX_WORDS] = [20_000, 3_500]
/** It takes quadratic time for one word. Names are shorter; addresses are found by their pattern. */
const LONG_WORD = /\S{101,}/g
const NAME = String.raw`[\p{Lu}][\p{L}\p{N}'&-]{0,40}`
const NAMES = String.raw`${NAME}(?:\s+(?:of\s+)?${NAME}){0,3}`
const UP_TO_THREE = String.raw`(?:${NAME}\s+){1,3}`
const EXTENSION =
  '(?:pdf|docx?|xlsx?|pptx?|txt|md|csv|json|ya?ml|xml|html?|css|js|ts|tsx|py|rs|go|java|sh|sql|log|png|jpe?g|gif|svg|mp[34]|mov|wav|zip|tar|gz|ics|eml|toml|ini|db)'
const MONTH = String.raw`(?:January|February|March|April|May|June|July|August|September|October|November|December)\b`
/** Numbered things that are not products: `Note 3`, `Room 12`. */
const NUMBERED = String.raw`(?:Note|Chapter|Page|Part|Step|Room|Day|Week|Item|Task|Number|No|Line|Question|Section|Figure|Table|Level|Version|Platform|Gate|Track|Class|Grade|Episode|Season|Volume|Option|Point|Phase|Team|Group|Unit|Floor|Seat|Row|Bus|Flight|Lesson|Test|Draft|Ticket|Issue|Order|Invoice|Meeting)\b`
const EVENT =
  'Conference|Summit|Festival|Congress|Workshop|Hackathon|Olympics|World Cup|Expo|Meetup|Marathon|Symposium|Election|Wedding|Fair|Games|Cup|Awards?|Convention'
const COMPANY =
  'Inc|Corp|Corporation|Ltd|LLC|GmbH|AG|SE|PLC|Company|Foundation|Institute|Association|Bank|Agency|Ministry|Department|Committee|Council|Group|Labs?|Studios?|Airlines|Motors|Systems|Software|Technologies'
/** Lines of a type and a pattern by what surrounds or forms a name. */
const patterns = (strings: TemplateStringsArray, ...values: string[]): [EntityType, RegExp][] =>
  String.raw(strings, ...values)
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .map((line) => [
      line.slice(0, line.indexOf(' ')) as EntityType,
      new RegExp(line.slice(line.indexOf(' ') + 1), 'gu'),
    ])

/** Tried before grammar. The first that claims a name keeps it. */
const PATTERNS = patterns`
  url (?i:\bhttps?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?])
  url (?i:\bwww\.[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[^\s<>"')\].,;:!?]*)?)
  file (?<![\p{L}\p{N}@/._-])(?:~?/)?(?:[\p{L}\p{N}_.-]+/)*[\p{L}\p{N}_-][\p{L}\p{N}_.-]*\.${EXTENSION}\b(?![\p{L}\p{N}/])
  project \bProject\s+${NAMES}
  project (?<=\b[Tt]he\s)${NAMES}(?=\s+project\b)
  event \b${UP_TO_THREE}(?:${EVENT}|${EVENT.toLowerCase()})\b(?:\s+(?:19|20)\d\d)?
  event \b(?:Christmas|Easter|Thanksgiving|Hanukkah|Ramadan|Diwali|Halloween|Black Friday|World War (?:I{1,2}|One|Two|[12]))\b
  event \b[A-Z]{2,8}\s?(?:Conf)?\s?(?:19|20)\d\d\b
  organization \bUniversity\s+of\s+${NAME}|\b(?!The\b)${UP_TO_THREE}University\b
  product \b(?!${MONTH}|${NUMBERED})${NAME}(?:\s+(?!${MONTH})${NAME})?\s+(?:[A-Z]{0,2}(?!(?:19|20)\d\d\b)\d{1,4}[A-Za-z]?|Pro|Max|Ultra)\b(?!\s*${MONTH})
  organization \b${UP_TO_THREE}(?:${COMPANY})\b\.?
  organization \b(?:Google|Microsoft|Apple|Amazon|Meta|OpenAI|Anthropic|Netflix|Tesla|Samsung|Sony|IBM|Intel|Nvidia|NVIDIA|Siemens|BMW|NASA|ESA|CERN|NATO|UNESCO|UNICEF|WHO|IEEE|IETF|W3C)\b
  product \b[a-z]{1,2}[A-Z]\p{L}+(?:\s+(?:\d+|Pro|Max|Mini|Air|Plus|Ultra)\b)*
  concept #[\p{L}][\p{L}\p{N}_]+
  concept (?i:\b(?:(?:machine|deep|reinforcement) learning|artificial intelligence|neural networks?|climate change|open source|quantum (?:computing|mechanics|physics)|data (?:protection|privacy|science)|renewable energy|information retrieval|natural language processing|supply chains?|\p{Ll}{4,}(?:ology|onomics|cracy))\b)
`

/** People, organizations, places and other things that a text names, each once, in the order of the text. */
export async function extractEntities(text: string): Promise<Entity[]> {
  const { default: nlp } = await import('compromise')
  const source = text
    .slice(0, MAX_CHARACTERS)
    .split(/(?<=\s)/)
    .slice(0, MAX_WORDS)
    .join('')
  const claims = new Claims(source)
  const isForeign = foreignPlaces(source)
  for (const [type, pattern] of PATTERNS) claims.match(pattern, type)
  const document = nlp(source.replace(LONG_WORD, ''))
  const english = (_: string, at: number) => !isForeign(at)
  const person = (name: string, at: number) =>
    english(name, at) || nlp(name.split(' ')[0] ?? '').has('#FirstName')
  const quoted = [...source.matchAll(/"(\p{Ll}[\p{Ll} -]{3,40})"/gu)].map(([, term = '']) => term)
  claims.addAll(document.people().out('array'), 'person', person)
  claims.addAll(document.organizations().out('array'), 'organization', english)
  claims.addAll(document.places().out('array'), 'place')
  claims.addAll(document.match('#ProperNoun+').out('array'), 'other', english)
  claims.addAll(
    quoted.filter((term) => wordsOf(term).length <= 3),
    'concept',
  )
  return claims.ordered()
}

class Claims {
  private readonly text: string
  private readonly taken: { start: number; end: number; entity: Entity }[] = []

  constructor(text: string) {
    this.text = text
  }

  match(pattern: RegExp, type: EntityType): void {
    for (const found of this.text.matchAll(pattern)) this.add(found[0], type, found.index)
  }

  addAll(
    names: readonly string[],
    type: EntityType,
    fits: (name: string, start: number) => boolean = () => true,
  ): void {
    for (const name of names.map(trimmed)) {
      const start = name === '' ? -1 : this.text.indexOf(name)
      if (start >= 0 && fits(name, start)) this.add(name, type, start)
    }
  }

  /** Each name once, and no name inside another. */
  add(name: string, type: EntityType, at: number): void {
    const clean = type === 'url' || type === 'file' ? name : trimmed(name)
    const start = at + Math.max(name.indexOf(clean), 0)
    const end = start + clean.length
    const claimed = this.taken.some(
      (other) =>
        (start < other.end && other.start < end) || other.entity.name.toLowerCase() === clean.toLowerCase(),
    )
    if (isName(clean, type) && !claimed) this.taken.push({ start, end, entity: { name: clean, type } })
  }

  ordered(): Entity[] {
    return this.taken.sort((left, right) => left.start - right.start).map(({ entity }) => entity)
  }
}

const LEAD =
  '[Tt]he|[Aa]n?|[Oo]ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Dd]ear|[Oo]n|[Ii]n|[Aa]t|[Ww]hen|[Tt]hen|[Ww]e|i|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Aa]nd'
const LEADS = new RegExp(String.raw`^(?:[^\p{L}\p{N}#/~]|\b(?:\p{Ll}{3,}(?=\s+\p{Lu})|${LEAD})\b\s)+`, 'u')

const trimmed = (name: string): string =>
  name.replace(LEADS, '').replace(/(?:'s)?(?<![^\p{L}\p{N}/)])[^\p{L}\p{N}/)]+$|'s$/gu, '')

const ALONE = new RegExp(`^${NUMBERED}$`)
const DATE_WORD = new RegExp(`^(?:${MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$`, 'i')

function isName(name: string, type: EntityType): boolean {
  if (name.length < 2 || name.length > 120) return false
  if (type === 'url' || type === 'file' || type === 'concept') return true
  if (!/\p{Lu}/u.test(name) || stopWords.has(name.toLowerCase())) return false
  return !(type === 'other' && ALONE.test(name)) && !name.split(' ').every((word) => DATE_WORD.test(word))
}

/** Function words of other languages: there a capital letter, as of every German noun, shows no name. */
const FOREIGN = new Set(data.foreign.flatMap((line) => line.split(' ')))

const lower = (text: string): string[] => wordsOf(text).map((word) => word.toLowerCase())
const foreignWords = (text: string): number =>
  lower(text).filter((word) => FOREIGN.has(word)).length + (/[äöüßéèñó]/i.test(text) ? 1 : 0)
const englishWords = (text: string): number =>
  lower(text).filter((word) => stopWords.has(word) && !FOREIGN.has(word)).length
const isForeignText = (text: string): boolean =>
  foreignWords(text) >= 2 && foreignWords(text) > englishWords(text)

/**
 * For each index, whether it is in a foreign sentence; in a foreign text, a sentence without any English word
 * counts too.
 */
function foreignPlaces(text: string): (index: number) => boolean {
  const whole = isForeignText(text)
  const sentences = [...text.matchAll(/[^.!?\n]+[.!?\n]*/g)].map(({ 0: sentence, index }) => ({
    from: index,
    foreign: isForeignText(sentence) || (whole && englishWords(sentence) === 0),
  }))
  return (index) => sentences.findLast(({ from }) => from <= index)?.foreign ?? false
}
