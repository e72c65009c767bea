import { readDates } from '../../english/dates.ts'
import { sentences, VERBS } from '../../english/text.ts'
import type { Fact, NamedEntity, Reading, SaidText } from '../../ports/reader.ts'
import { iso } from '../../time.ts'
import type { Trust } from '../../trust.ts'
import { owner } from './facts.ts'
import { cleanName, predicateOf } from './names.ts'

// Extraction by rules, for English. It takes milliseconds of CPU per text, so the port `reader` runs it, in a
// thread where there are threads.

/** The entities in a text. */
export async function namesIn(text: string): Promise<NamedEntity[]> {
  const { extractEntities } = await import('../../english/entities.ts')
  const entities = await extractEntities(text)
  return entities.filter(({ name, type }) => type !== 'other' || !isVerb(name, text))
}

/** Whether a name is a verb that is capitalized only because it starts a sentence: `Check the oil`. */
function isVerb(name: string, text: string): boolean {
  const lower = name.toLowerCase()
  if (!VERBS.has(lower) && lower !== 'lower' && lower !== 'raise') return false
  return !new RegExp(`[\\p{L}\\p{N},;]\\s+${name}\\b`, 'u').test(text)
}

/** Maximum characters of an episode and of a sentence: the patterns are slow on more. */
const maxText = 8_000
const maxSentence = 400
const maxFacts = 20

/** The entities and facts in one episode. */
export async function factsIn(episode: SaidText): Promise<Reading> {
  const entities = await namesIn(`${episode.content}\n\n${episode.reply}`)
  const facts: Fact[] = []
  for (const sentence of sentences(episode.content.slice(0, maxText)).flatMap(clauses)) {
    if (facts.length >= maxFacts || sentence.length > maxSentence) continue
    const undated = await factsOfSentence(sentence, { trust: episode.trust, entities })
    facts.push(...(await dated(undated, sentence, Date.parse(episode.created_at))))
  }
  return { entities, facts: facts.slice(0, maxFacts), topics: [], summary: null }
}

/** Clauses with a subject of their own, so that a date applies to its own clause only. */
const clauses = (sentence: string): string[] =>
  sentence.split(/[,;]?(?<!\s)\s+(?:and|but)\s+(?=(?:I|he|she|we|they)\b)/)

async function dated(facts: readonly Undated[], sentence: string, now: number): Promise<Fact[]> {
  if (facts.length === 0) return []
  const { valid_at, ended_at } = await validityOf(sentence, now)
  return facts.map(({ over, ...one }) => ({
    ...one,
    subject: cleanName(one.subject),
    object: cleanName(one.object),
    fact: sentence.trim(),
    valid_at: (over && ended_at === null) || untimed.has(one.type) ? null : valid_at,
    ended_at: over ? (ended_at ?? valid_at ?? iso(now)) : ended_at,
  }))
}

/**
 * Predicates that a date in the sentence does not date: "likes" does not start on the day it was mentioned.
 */
const untimed: ReadonlySet<string> = new Set(['likes', 'prefers', 'dislikes', 'speaks', 'allergic_to'])

interface Undated {
  subject: string
  type: string
  object: string
  /** The sentence says that the fact no longer holds. */
  over: boolean
}

interface Speaker {
  trust: Trust
  entities: readonly NamedEntity[]
}

const NAME = "\\p{Lu}[\\p{L}\\p{N}'’&-]*"
const NAMES = `${NAME}(?:\\s+(?:(?:of|de|van|von|der|la)\\s+)?${NAME}){0,3}`
const SUBJECT = `(?<subject>\\bI|\\b[Tt]he (?:user|owner)|\\b(?!The\\b|If\\b|When\\b|I\\b)${NAMES})`
const ADVERBS = "(?:\\s+(?:now|currently|still|also|really|just|recently|has|have|had|'ve|'m|is|am|are|was|were))*"
const NO_LONGER = `(?<over>\\s+(?:no longer|left|quit|stopped))?`
const NAMED_OBJECT = `(?:the\\s+|an?\\s+)?(?<object>${NAMES})`
const OBJECT = `(?:the\\s+|an?\\s+|my\\s+|to\\s+)?(?<object>[\\p{L}\\p{N}][\\p{L}\\p{N}'’&-]*(?:\\s+(?!and\\b|but\\b|or\\b|because\\b|since\\b|when\\b|in\\b|on\\b|at\\b|for\\b|from\\b|until\\b|more\\b|than\\b|over\\b|to\\b)[\\p{L}\\p{N}'’&-]+){0,3})`

/** Predicates, their verbs, and what may follow them. */
const table: readonly (readonly [type: string, verbs: string, object: string])[] = [
  ['lives_in', 'lives?\\s+in|living\\s+in|resides?\\s+in|moved\\s+(?:back\\s+)?to', NAMED_OBJECT],
  ['works_at', 'works?\\s+(?:at|for)|working\\s+(?:at|for)|employed\\s+(?:by|at)|joined', NAMED_OBJECT],
  ['has_role', 'works?\\s+as|working\\s+as', OBJECT],
  ['married_to', 'married(?:\\s+to)?', NAMED_OBJECT],
  ['based_in', 'based\\s+in|headquartered\\s+in', NAMED_OBJECT],
  ['reports_to', 'reports?\\s+to', NAMED_OBJECT],
  ['led_by', 'led\\s+by|managed\\s+by', NAMED_OBJECT],
  ['likes', 'likes?|loves?|enjoys?', OBJECT],
  ['prefers', 'prefers?', OBJECT],
  ['dislikes', 'dislikes?|hates?', OBJECT],
  ['uses', 'uses?|using', OBJECT],
  ['owns', 'owns?', OBJECT],
  ['speaks', 'speaks?', NAMED_OBJECT],
  ['plays', 'plays?', OBJECT],
  ['allergic_to', 'allergic\\s+to', OBJECT],
]

const rules = table.map(([type, verbs, object]) => ({
  type,
  pattern: new RegExp(`${SUBJECT}${NO_LONGER}${ADVERBS}\\s+(?:${verbs})\\s+${object}`, 'u'),
}))

const past = new RegExp(`${SUBJECT}\\s+(?<verb>worked\\s+(?:at|for)|lived\\s+in)\\s+${NAMED_OBJECT}`, 'u')
const left = new RegExp(`${SUBJECT}${ADVERBS}\\s+(?:left|quit|resigned\\s+from)\\s+${NAMED_OBJECT}`, 'u')
const kin = new RegExp(
  `\\b[Mm]y\\s+(?<type>wife|husband|partner|sister|brother|mother|father|son|daughter|boss|friend|dog|cat)(?:'s\\s+name)?(?:\\s+is(?:\\s+called)?)?,?\\s+(?<object>${NAMES})`,
  'u',
)
const status = new RegExp(
  `(?<subject>(?:[Pp]roject\\s+)?\\b${NAMES}(?:\\s+project)?)\\s+is(?:\\s+now)?\\s+(?<object>done|finished|complete|completed|cancelled|canceled|paused|blocked|delayed|active|in\\s+progress|on\\s+hold|live|released)\\b`,
  'u',
)

/** Sentences that state nothing for certain. */
const uncertain =
  /\?|\b(?:if|would|could|might|maybe|perhaps|should|wish|hope|unless|whether|not|never|neither)\b|n['’]t\b/i

async function factsOfSentence(sentence: string, speaker: Speaker): Promise<Undated[]> {
  if (uncertain.test(sentence)) return []
  const facts = [...byTable(sentence), ...byPattern(sentence)].flatMap((one) => withOwner(one, speaker.trust))
  return facts.length > 0 ? facts : byVerb(sentence, speaker.entities)
}

function byTable(sentence: string): Undated[] {
  return rules.flatMap(({ type, pattern }) => {
    const { subject, object, over } = groupsOf(pattern, sentence)
    return subject && object ? [{ subject, type, object, over: over !== undefined }] : []
  })
}

const groupsOf = (pattern: RegExp, sentence: string): Record<string, string | undefined> =>
  pattern.exec(sentence)?.groups ?? {}

function byPattern(sentence: string): Undated[] {
  const gone = groupsOf(left, sentence)
  const was = groupsOf(past, sentence)
  const relative = groupsOf(kin, sentence)
  const state = groupsOf(status, sentence)
  const former = was.verb?.startsWith('w') ? 'works_at' : 'lives_in'
  const facts = [
    { subject: gone.subject, type: 'works_at', object: gone.object, over: true },
    { subject: was.subject, type: former, object: was.object, over: true },
    {
      subject: relative.type && 'I',
      type: predicateOf(`has ${relative.type}`),
      object: relative.object,
      over: false,
    },
    { subject: state.subject, type: 'has_status', object: state.object, over: false },
  ]
  return facts.filter((one): one is Undated => Boolean(one.subject && one.object))
}

/**
 * "I" is the owner only in the owner's own texts. An agent writes "the user"; in a stranger's texts neither
 * counts.
 */
function withOwner(fact: Undated, trust: Trust): Undated[] {
  if (fact.subject === 'I') return trust === 'owner' ? [{ ...fact, subject: owner.name }] : []
  if (/^the (?:user|owner)$/i.test(fact.subject)) return trust === 'external' ? [] : [{ ...fact, subject: owner.name }]
  return [fact]
}

/** Maximum characters between two names that a verb connects. */
const maxBetween = 40

/** Facts of the form name – verb – name: "Anna founded Acme" gives `found`. */
async function byVerb(sentence: string, entities: readonly NamedEntity[]): Promise<Undated[]> {
  const places = entities
    .filter(({ type }) => type !== 'url' && type !== 'file')
    .map(({ name }) => ({ name, start: sentence.indexOf(name) }))
    .filter(({ start }) => start >= 0)
    .map(({ name, start }) => ({ name, start, end: start + name.length }))
    .sort((one, other) => one.start - other.start)
  const facts: Undated[] = []
  for (const [index, subject] of places.entries()) {
    const object = places[index + 1]
    const words = object && sentence.slice(subject.end, object.start).trim()
    const type = words && words.length <= maxBetween ? await verbIn(words) : ''
    if (object && type) facts.push({ subject: subject.name, type, object: object.name, over: false })
  }
  return facts
}

interface Term {
  text: string
  tags: string[]
}

interface Tagged {
  terms: Term[]
  verb?: { infinitive?: string }
}

/** Tags of words that may accompany the verb, and of words that make the fact uncertain. */
const accompanying = ['Verb', 'Adverb', 'Preposition', 'Particle', 'Determiner']
const qualifying = ['Modal', 'Negative', 'QuestionWord']

/** The predicate of a verb phrase; empty if other words are part of it. */
async function verbIn(words: string): Promise<string> {
  if (!/^[\p{L}\s'’-]+$/u.test(words)) return ''
  const { default: nlp } = await import('compromise')
  const document = nlp(words)
  const terms = (document.json() as Tagged[]).flatMap((part) => part.terms)
  const has = (term: Term, tags: string[]) => term.tags.some((tag) => tags.includes(tag))
  const plain = terms.every((term) => term.text === 'to' || (has(term, accompanying) && !has(term, qualifying)))
  const [verb] = document.verbs().json() as Tagged[]
  if (!plain || !verb?.verb?.infinitive) return ''
  const preposition = terms.filter((term) => term.text === 'to' || has(term, ['Preposition'])).at(-1)
  return predicateOf(`${verb.verb.infinitive} ${preposition?.text ?? ''}`)
}

interface Validity {
  valid_at: string | null
  ended_at: string | null
}

interface DateInText {
  at: string
  /** The text before it. */
  before: string
}

/** Other years are misreadings. */
const isPlausible = (at: number) => at > Date.UTC(1900, 0) && at < Date.UTC(2200, 0)

const mayHaveDate =
  /\d|day|week|month|year|morning|evening|night|[a-z]{3}\w{0,4}ber\b|jan|feb|mar|apr|may|june?|july?|aug/i

/** When the fact starts and ends, according to its sentence. `now`: when it was said, in milliseconds. */
async function validityOf(sentence: string, now: number): Promise<Validity> {
  if (!mayHaveDate.test(sentence)) return { valid_at: null, ended_at: null }
  const dates = [...yearsIn(sentence), ...(await datesIn(sentence, now))]
  const ends = /\b(until|till|through|to)\s+$/i
  return {
    valid_at: dates.find(({ before }) => !ends.test(before))?.at ?? null,
    ended_at: dates.find(({ before }) => ends.test(before))?.at ?? null,
  }
}

/** Years such as "since 2020". chrono reads a year only next to a month. */
const yearsIn = (sentence: string): DateInText[] =>
  [...sentence.matchAll(/(?<=\b(?:in|since|from|until|till|through|to)\s+)(19|20)\d\d\b(?!-)/gi)].map(
    ({ 0: year, index }) => ({ at: `${year}-01-01T00:00:00.000Z`, before: sentence.slice(0, index) }),
  )

async function datesIn(sentence: string, now: number): Promise<DateInText[]> {
  const dates = await readDates(sentence, { now, timezone: 'UTC' })
  return dates
    .filter(({ instant }) => isPlausible(instant))
    .map(({ day, minute = 0, words, index }) => ({
      at: iso(Date.UTC(day.year, day.month - 1, day.day) + minute * 60_000),
      before: `${sentence.slice(0, index)}${/^(?:until|till)\s/i.exec(words)?.[0] ?? ''}`,
    }))
}
