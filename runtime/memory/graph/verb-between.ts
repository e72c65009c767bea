import type { Named } from './mentions.ts'
import { predicateOf } from './predicates.ts'
import type { Found } from './sentence-facts.ts'

/** Words that may stand between two names that have something to do with each other. */
const longest = 40

interface Place {
  name: string
  start: number
  end: number
}

/** Two names with nothing but a verb between them: "Anna founded Acme" is `Anna found Acme`. */
export async function verbBetween(sentence: string, entities: readonly Named[]): Promise<Found[]> {
  const places = placesOf(sentence, entities)
  const found: Found[] = []
  for (const [index, subject] of places.entries()) {
    const object = places[index + 1]
    const words = object && sentence.slice(subject.end, object.start).trim()
    const type = words && words.length <= longest ? await verbOf(words) : ''
    if (object && type) found.push({ subject: subject.name, type, object: object.name, over: false })
  }
  return found
}

function placesOf(sentence: string, entities: readonly Named[]): Place[] {
  return entities
    .filter(({ type }) => type !== 'url' && type !== 'file')
    .map(({ name }) => ({ name, start: sentence.indexOf(name) }))
    .filter(({ start }) => start >= 0)
    .map(({ name, start }) => ({ name, start, end: start + name.length }))
    .sort((one, other) => one.start - other.start)
}

interface Term {
  text: string
  tags: string[]
}

interface Tagged {
  terms: Term[]
  verb?: { infinitive?: string }
}

/** What may stand beside the verb. */
const beside = ['Verb', 'Adverb', 'Preposition', 'Particle', 'Determiner']
/** What makes it no statement of a fact. */
const unsure = ['Modal', 'Negative', 'QuestionWord']

/** The verb in its plain form with what belongs to it; empty when other words are there too. */
async function verbOf(words: string): Promise<string> {
  if (!/^[\p{L}\s'’-]+$/u.test(words)) return ''
  const { default: nlp } = await import('compromise')
  const document = nlp(words)
  const terms = (document.json() as Tagged[]).flatMap((part) => part.terms)
  const has = (term: Term, tags: string[]) => term.tags.some((tag) => tags.includes(tag))
  const plain = terms.every((term) => term.text === 'to' || (has(term, beside) && !has(term, unsure)))
  const [verb] = document.verbs().json() as Tagged[]
  if (!plain || !verb?.verb?.infinitive) return ''
  const after = terms.filter((term) => term.text === 'to' || has(term, ['Preposition'])).at(-1)
  return predicateOf(`${verb.verb.infinitive} ${after?.text ?? ''}`)
}
