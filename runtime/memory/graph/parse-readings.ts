import { z } from 'zod'
import { EntityType } from '../schema.ts'
import type { Fact, Reading } from './facts.ts'
import { cleanName } from './names.ts'
import { predicateOf } from './predicates.ts'
import type { FactText } from './write-reading.ts'

const mostEntities = 30
const mostFacts = 20
const mostTopics = 5

const word = z.string().min(1).max(500)

const ItemEntity = z.object({ name: word, type: z.string().catch('other') })
const ItemFact = z.object({
  subject: word,
  predicate: word,
  object: z.union([word, z.number().transform(String)]),
  fact: z.string().catch(''),
  valid_at: z.unknown(),
  invalid_at: z.unknown(),
})
/** Each list with its bad items left out: one of them does not cost the rest. */
const Item = z.object({
  number: z.coerce.number(),
  summary: z.string().nullable().catch(null),
  topics: z.array(z.unknown()).catch([]),
  entities: z.array(z.unknown()).catch([]),
  facts: z.array(z.unknown()).catch([]),
})
const Answer = z.object({ episodes: z.array(z.unknown()) })

/**
 * What a model has answered about a batch, by the id of the episode; an episode that it left out says nothing. Null
 * when the answer is not of the form that was asked for.
 */
export function parseReadings(answer: string, batch: readonly FactText[]): Map<string, Reading> | null {
  const parsed = Answer.safeParse(jsonIn(answer))
  if (!parsed.success) return null
  const items = valid(Item, parsed.data.episodes)
  const known = items.filter(({ number }) => batch[number - 1] !== undefined)
  if (known.length === 0 && batch.length > 0) return null
  const byNumber = new Map(known.map((item) => [item.number, toReading(item)]))
  return new Map(batch.map(({ id }, index) => [id, byNumber.get(index + 1) ?? empty]))
}

const empty: Reading = { entities: [], facts: [], topics: [], summary: null }

/** The object in an answer that may have words or a fence around it. */
function jsonIn(answer: string): unknown {
  const start = answer.indexOf('{')
  const end = answer.lastIndexOf('}')
  if (start < 0 || end < start) return null
  try {
    return JSON.parse(answer.slice(start, end + 1))
  } catch {
    return null
  }
}

const valid = <Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] =>
  items.flatMap((item) => {
    const parsed = schema.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })

function toReading({ summary, topics, entities, facts }: z.output<typeof Item>): Reading {
  return {
    entities: valid(ItemEntity, entities)
      .slice(0, mostEntities)
      .map(({ name, type }) => ({ name: cleanName(name), type: typeOf(type) }))
      .filter(({ name }) => name !== ''),
    facts: valid(ItemFact, facts).slice(0, mostFacts).map(toFact).filter(isWhole),
    topics: valid(word, topics)
      .slice(0, mostTopics)
      .map(lineOf)
      .filter((topic) => topic !== '' && topic.length <= 100),
    summary: summary === null ? null : lineOf(summary).slice(0, 500).toWellFormed() || null,
  }
}

const typeOf = (type: string) => EntityType.safeParse(type.toLowerCase()).data ?? 'other'

function toFact({ subject, predicate, object, fact, valid_at, invalid_at }: z.output<typeof ItemFact>): Fact {
  const [from, to] = [momentOf(valid_at), momentOf(invalid_at)]
  const ends = { subject: cleanName(subject), object: cleanName(object), type: predicateOf(predicate) }
  const sentence = lineOf(fact).slice(0, 500).toWellFormed()
  return {
    ...ends,
    fact: sentence === '' ? `${ends.subject} ${ends.type.replaceAll('_', ' ')} ${ends.object}` : sentence,
    // Dates that contradict each other say nothing.
    valid_at: from !== null && to !== null && to < from ? null : from,
    ended_at: from !== null && to !== null && to < from ? null : to,
  }
}

const isWhole = ({ subject, type, object }: Fact) => subject !== '' && type !== '' && object !== ''

/** One line without control characters. */
const lineOf = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()

/** A day or time in ISO 8601, also a year or a month alone. */
function momentOf(value: unknown): string | null {
  if (
    typeof value !== 'string' ||
    !/^\d{4}(-\d{2}(-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?)?)?$/.test(value.trim())
  )
    return null
  const text = value.trim()
  const at = Date.parse(text.includes('T') && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
