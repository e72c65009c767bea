import { GERMAN_NAMES, germanPlaces } from './german-names.ts'
import { isStopWord, words } from './text.ts'

export type EntityType =
  | 'person'
  | 'organization'
  | 'place'
  | 'product'
  | 'concept'
  | 'event'
  | 'project'
  | 'file'
  | 'url'
  | 'other'

export interface Entity {
  name: string
  type: EntityType
}

/** compromise reads about 40 characters in a millisecond, without a pause: half a second at most. */
const MAX_CHARACTERS = 20_000
const NAME = "[\\p{Lu}][\\p{L}\\p{N}'&-]*"
const NAMES = `${NAME}(?:\\s+(?:of\\s+)?${NAME}){0,3}`
const EXTENSION =
  '(?:pdf|docx?|xlsx?|pptx?|txt|md|csv|json|ya?ml|xml|html?|css|js|ts|tsx|py|rs|go|java|sh|sql|log|png|jpe?g|gif|svg|mp[34]|mov|wav|zip|tar|gz|ics|eml|toml|ini|db)'
const MONTH = '(?:January|February|March|April|May|June|July|August|September|October|November|December)\\b'
/** What is numbered without being a product: `Note 3`, `Room 12`. */
const NUMBERED =
  '(?:Note|Chapter|Page|Part|Step|Room|Day|Week|Item|Task|Number|No|Line|Question|Section|Figure|Table|Level|Version|Platform|Gate|Track|Class|Grade|Episode|Season|Volume|Option|Point|Phase|Team|Group|Unit|Floor|Seat|Row|Bus|Flight|Lesson|Test|Draft|Ticket|Issue|Order|Invoice|Meeting)\\b'
const EVENT =
  'Conference|Summit|Festival|Congress|Workshop|Hackathon|Olympics|World Cup|Expo|Meetup|Marathon|Symposium|Election|Wedding|Fair|Games|Cup|Awards?|Convention'
const COMPANY =
  'Inc|Corp|Corporation|Ltd|LLC|GmbH|AG|SE|PLC|Company|Foundation|Institute|Association|Bank|Agency|Ministry|Department|Committee|Council|Group|Labs?|Studios?|Airlines|Motors|Systems|Software|Technologies'

/** Patterns before grammar: what a form of words gives away. The first that claims a name keeps it. */
const PATTERNS: readonly [EntityType, RegExp][] = [
  ['url', /\bhttps?:\/\/[^\s<>"')\]]*[^\s<>"')\].,;:!?]/giu],
  ['url', /\bwww\.[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[^\s<>"')\].,;:!?]*)?/giu],
  [
    'file',
    new RegExp(
      `(?<![\\p{L}\\p{N}@/])(?:~?/)?(?:[\\p{L}\\p{N}_.-]+/)*[\\p{L}\\p{N}_-][\\p{L}\\p{N}_.-]*\\.${EXTENSION}\\b(?![\\p{L}\\p{N}/])`,
      'giu',
    ),
  ],
  [
    'person',
    new RegExp(
      `(?<=\\b(?:Herrn?|Frau|Monsieur|Madame|Mme|Mlle|[Ss]eñora?|[Ss]ignora?|[Mm]eneer|[Mm]evrouw)\\s+)${NAME}(?:\\s+${NAME})?`,
      'gu',
    ),
  ],
  ['organization', new RegExp(`(?<=\\b(?:travaill|boss)\\p{Ll}+\\s+(?:chez|pour)\\s+)${NAMES}`, 'gu')],
  ['project', new RegExp(`\\bProject\\s+${NAMES}`, 'gu')],
  ['project', new RegExp(`(?<=\\b[Tt]he\\s)${NAMES}(?=\\s+project\\b)`, 'gu')],
  [
    'event',
    new RegExp(`\\b(?:${NAME}\\s+){1,3}(?:${EVENT}|${EVENT.toLowerCase()})\\b(?:\\s+(?:19|20)\\d\\d)?`, 'gu'),
  ],
  [
    'event',
    /\b(?:Christmas|Easter|Thanksgiving|Hanukkah|Ramadan|Diwali|Halloween|Black Friday|World War (?:I{1,2}|One|Two|[12]))\b/gu,
  ],
  ['event', /\b[A-Z]{2,8}\s?(?:Conf)?\s?(?:19|20)\d\d\b/gu],
  [
    'organization',
    new RegExp(`\\bUniversity\\s+of\\s+${NAME}|\\b(?!The\\b)(?:${NAME}\\s+){1,3}University\\b`, 'gu'),
  ],
  [
    'product',
    new RegExp(
      `\\b(?!${MONTH}|${NUMBERED})${NAME}(?:\\s+(?!${MONTH})${NAME})?\\s+(?:[A-Z]{0,2}(?!(?:19|20)\\d\\d\\b)\\d{1,4}[A-Za-z]?|Pro|Max|Ultra)\\b(?!\\s*${MONTH})`,
      'gu',
    ),
  ],
  ['organization', new RegExp(`\\b(?:${NAME}\\s+){1,3}(?:${COMPANY})\\b\\.?`, 'gu')],
  [
    'organization',
    /\b(?:Google|Microsoft|Apple|Amazon|Meta|OpenAI|Anthropic|Netflix|Tesla|Samsung|Sony|IBM|Intel|Nvidia|NVIDIA|Siemens|BMW|NASA|ESA|CERN|NATO|UNESCO|UNICEF|WHO|IEEE|IETF|W3C)\b/gu,
  ],
  ['product', /\b[a-z]{1,2}[A-Z]\p{L}+(?:\s+(?:\d+|Pro|Max|Mini|Air|Plus|Ultra)\b)*/gu],
  ['concept', /#[\p{L}][\p{L}\p{N}_]+/gu],
  [
    'concept',
    /\b(?:(?:machine|deep|reinforcement) learning|artificial intelligence|neural networks?|climate change|open source|quantum (?:computing|mechanics|physics)|data (?:protection|privacy|science)|renewable energy|information retrieval|natural language processing|supply chains?|\p{Ll}{4,}(?:ology|onomics|cracy))\b/giu,
  ],
]

const DATE_WORD =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?$/i

/** People, organizations, places and other things that a text names, each once, in the order of the text. */
export async function extractEntities(text: string): Promise<Entity[]> {
  const { default: nlp } = await import('compromise')
  const source = text.slice(0, MAX_CHARACTERS)
  const claims = new Claims(source)
  for (const [type, pattern] of PATTERNS)
    for (const found of source.matchAll(pattern)) claims.add(found[0], type, found.index)
  const german = germanPlaces(source)
  for (const [type, pattern] of GERMAN_NAMES)
    for (const found of source.matchAll(pattern))
      if (german(found.index)) claims.add(found[0], type, found.index)
  const document = nlp(source)
  const isFirstName = (name: string) => nlp(name.split(' ')[0] ?? '').has('#FirstName')
  claims.addAll(document.people().out('array'), 'person', (name, at) => !german(at) || isFirstName(name))
  claims.addAll(document.organizations().out('array'), 'organization', (_, at) => !german(at))
  claims.addAll(document.places().out('array'), 'place')
  claims.addAll(document.match('#ProperNoun+').out('array'), 'other', (_, at) => !german(at))
  claims.addAll(quotedTerms(source), 'concept')
  return claims.ordered()
}

/** "so-called" terms: short quoted lower-case phrases. */
function quotedTerms(text: string): string[] {
  return [...text.matchAll(/"(\p{Ll}[\p{Ll} -]{3,40})"/gu)]
    .map((found) => found[1] ?? '')
    .filter((term) => words(term).length <= 3)
}

class Claims {
  private readonly text: string
  private readonly taken: { start: number; end: number; entity: Entity }[] = []

  constructor(text: string) {
    this.text = text
  }

  /** Those that grammar takes for names, unless `fits` knows better. */
  addAll(
    names: readonly string[],
    type: EntityType,
    fits: (name: string, start: number) => boolean = () => true,
  ): void {
    for (const name of names) {
      const clean = trimmed(name)
      const start = clean === '' ? -1 : this.text.indexOf(clean)
      if (start >= 0 && fits(clean, start)) this.add(clean, type, start)
    }
  }

  add(name: string, type: EntityType, start: number): void {
    const clean = type === 'url' || type === 'file' ? name : trimmed(name)
    const from = start + Math.max(name.indexOf(clean), 0)
    const span = { start: from, end: from + clean.length, entity: { name: clean, type } }
    if (
      !isName(clean, type) ||
      this.taken.some((other) => overlaps(span, other) || sameName(other.entity.name, clean))
    )
      return
    this.taken.push(span)
  }

  ordered(): Entity[] {
    return this.taken.sort((left, right) => left.start - right.start).map(({ entity }) => entity)
  }
}

function overlaps(left: { start: number; end: number }, right: { start: number; end: number }): boolean {
  return left.start < right.end && right.start < left.end
}

function sameName(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase()
}

function trimmed(name: string): string {
  return name
    .replace(
      /^(?:[^\p{L}\p{N}#/~]|\b(?:\p{Ll}{3,}(?=\s+\p{Lu})|the|a|an|our|my|his|her|their|dear|on|in|at|when|then|we|i|you|he|she|it|and|The|An?|Our|My|His|Her|Their|Dear|On|In|At|When|Then|We|You|He|She|It|And)\b\s)+/gu,
      '',
    )
    .replace(/(?:'s)?[^\p{L}\p{N}/)]+$|'s$/gu, '')
}

const ALONE = new RegExp(`^${NUMBERED}$`)

function isName(name: string, type: EntityType): boolean {
  if (name.length < 2 || name.length > 120) return false
  if (type === 'url' || type === 'file' || type === 'concept') return true
  return (
    /\p{Lu}/u.test(name) &&
    !isStopWord(name.toLowerCase()) &&
    !(type === 'other' && ALONE.test(name)) &&
    !name.split(' ').every((word) => DATE_WORD.test(word))
  )
}
