import data from './entities.json' with { type: 'json' }
import type { EntityType } from './entity-type.ts'
import { patternsOf } from './patterns.ts'
import { stopWords, wordsOf } from './words.ts'

export interface Entity {
  name: string
  type: EntityType
}

/** compromise reads about 40 characters or 7 words in a millisecond without yielding: half a second at most. */
const [MAX_CHARACTERS, MAX_WORDS] = [20_000, 3_500]
/** It takes quadratic time for one word. Names are shorter; addresses are found by their pattern. */
const LONG_WORD = /\S{101,}/g
const pattern = patternsOf({ ...data.parts, ...data.claims })
/** Patterns by what surrounds or forms a name, tried before grammar. The first that claims a name keeps it. */
const CLAIMS = Object.keys(data.claims) as (keyof typeof data.claims)[]

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
  for (const name of CLAIMS) claims.match(pattern(name, 'g'), name.split(' ')[0] as EntityType)
  const document = nlp(source.replace(LONG_WORD, ''))
  const english = (_: string, at: number) => !isForeign(at)
  const person = (name: string, at: number) => english(name, at) || nlp(name.split(' ')[0] ?? '').has('#FirstName')
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
    for (const match of this.text.matchAll(pattern)) this.add(match[0], type, match.index)
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
      (other) => (start < other.end && other.start < end) || other.entity.name.toLowerCase() === clean.toLowerCase(),
    )
    if (isName(clean, type) && !claimed) this.taken.push({ start, end, entity: { name: clean, type } })
  }

  ordered(): Entity[] {
    return this.taken.sort((left, right) => left.start - right.start).map(({ entity }) => entity)
  }
}

const trimmed = (name: string): string =>
  name.replace(pattern('leads'), '').replace(/(?:'s)?(?<![^\p{L}\p{N}/)])[^\p{L}\p{N}/)]+$|'s$/gu, '')

const DATE_WORD = new RegExp(`^(?:${data.parts.month}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$`, 'i')

function isName(name: string, type: EntityType): boolean {
  if (name.length < 2 || name.length > 120) return false
  if (type === 'url' || type === 'file' || type === 'concept') return true
  if (!/\p{Lu}/u.test(name) || stopWords.has(name.toLowerCase())) return false
  return !(type === 'other' && pattern('alone').test(name)) && !name.split(' ').every((word) => DATE_WORD.test(word))
}

/** Function words of other languages: there a capital letter, as of every German noun, shows no name. */
const FOREIGN = new Set(data.foreign.split(' '))

const lower = (text: string): string[] => wordsOf(text).map((word) => word.toLowerCase())
const foreignWords = (text: string): number =>
  lower(text).filter((word) => FOREIGN.has(word)).length + (/[äöüßéèñó]/i.test(text) ? 1 : 0)
const englishWords = (text: string): number =>
  lower(text).filter((word) => stopWords.has(word) && !FOREIGN.has(word)).length
const isForeignText = (text: string): boolean => foreignWords(text) >= 2 && foreignWords(text) > englishWords(text)

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
