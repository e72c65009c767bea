import { z } from 'zod'
import type { Context } from '../../context.ts'
import { EntityType } from '../../english/entity-type.ts'
import { ModelError } from '../../ports/models.ts'
import type { Fact, Reading } from '../../ports/reader.ts'
import { prompt } from '../../prompts/prompt.ts'
import { callModel, jsonIn, type ModelAccess } from '../../providers/index.ts'
import type { Agent } from '../../tools/agent.ts'
import { cut } from '../../tools/text.ts'
import { wrapUntrusted } from '../../untrusted.ts'
import { owner } from './facts.ts'
import { cleanName, predicateOf } from './names.ts'
import type { FactText } from './store.ts'

/** Characters of an episode that the model sees. */
const maxContent = 6_000
const maxReply = 2_000
const maxOutputTokens = 4_000

const instruction = prompt('capture', { types: EntityType.options.join(', '), owner: owner.name })

export interface ModelReader {
  access: ModelAccess
  agent: Agent
  /** The job that the cost is booked on. */
  job_id: string
  /** As of `CallRequest`. */
  max_wait: number
}

/** Errors that concern this batch only. */
const batchErrors: ReadonlySet<string> = new Set(['content_filter', 'context_overflow', 'interrupted'])

/**
 * Reads a batch with one model call. Null if the answer is unusable. Throws `ModelError` if other batches would fail too.
 */
export async function readByModel(
  context: Context,
  batch: readonly FactText[],
  { access, agent, job_id, max_wait }: ModelReader,
): Promise<Map<string, Reading> | null> {
  const text = batch.map(promptFor).join('\n\n')
  const content = {
    system: instruction,
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }],
    tools: [],
    max_output_tokens: maxOutputTokens,
  }
  const spender = { category: 'internal' as const, agent_id: agent.id, run_ref: job_id }
  let answer = ''
  try {
    for await (const event of callModel(context, { access, content, spender, agent, max_wait })) {
      if (event.type === 'text') answer += event.text
    }
  } catch (thrown) {
    if (thrown instanceof ModelError && batchErrors.has(thrown.code)) return null
    throw thrown
  }
  return parseReadings(answer, batch)
}

function promptFor({ content, reply, trust, created_at }: FactText, index: number): string {
  const speaker = { owner: 'the owner', agent: 'an agent, about the owner', external: 'a stranger' }[trust]
  const said = wrapUntrusted(cut(content, maxContent).text)
  const answered = reply === '' ? '' : `\nreply:\n${wrapUntrusted(cut(reply, maxReply).text)}`
  return `Memory ${index + 1}, of ${created_at}, speaker: ${speaker}\n${said}${answered}`
}

const maxEntities = 30
const maxFacts = 20
const maxTopics = 5

const text = z.string().min(1).max(500)

const ItemEntity = z.object({ name: text, type: z.string().catch('other') })
const ItemFact = z.object({
  subject: text,
  predicate: text,
  object: z.union([text, z.number().transform(String)]),
  fact: z.string().catch(''),
  valid_at: z.unknown(),
  invalid_at: z.unknown(),
})
/** Items of the lists are validated one by one, so that an invalid one does not invalidate the rest. */
const Item = z.object({
  number: z.coerce.number(),
  summary: z.string().nullable().catch(null),
  topics: z.array(z.unknown()).catch([]),
  entities: z.array(z.unknown()).catch([]),
  facts: z.array(z.unknown()).catch([]),
})
const Answer = z.object({ episodes: z.array(z.unknown()) })

/** A model's answer about a batch, by episode id; null if it does not have the requested form. */
function parseReadings(answer: string, batch: readonly FactText[]): Map<string, Reading> | null {
  const parsed = Answer.safeParse(jsonIn(answer))
  if (!parsed.success) return null
  const items = valid(Item, parsed.data.episodes)
  const ofBatch = items.filter(({ number }) => batch[number - 1] !== undefined)
  if (ofBatch.length === 0 && batch.length > 0) return null
  const byNumber = new Map(ofBatch.map((item) => [item.number, toReading(item)]))
  return new Map(batch.map(({ id }, index) => [id, byNumber.get(index + 1) ?? empty]))
}

const empty: Reading = { entities: [], facts: [], topics: [], summary: null }

const valid = <Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] =>
  items.flatMap((item) => {
    const parsed = schema.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })

function toReading({ summary, topics, entities, facts }: z.output<typeof Item>): Reading {
  return {
    entities: valid(ItemEntity, entities)
      .slice(0, maxEntities)
      .map(({ name, type }) => ({ name: cleanName(name), type: typeOf(type) }))
      .filter(({ name }) => name !== ''),
    facts: valid(ItemFact, facts).slice(0, maxFacts).map(toFact).filter(isComplete),
    topics: valid(text, topics)
      .slice(0, maxTopics)
      .map(oneLine)
      .filter((topic) => topic !== '' && topic.length <= 100),
    summary: summary === null ? null : oneLine(summary).slice(0, 500).toWellFormed() || null,
  }
}

const typeOf = (type: string) => EntityType.safeParse(type.toLowerCase()).data ?? 'other'

function toFact({ subject, predicate, object, fact, valid_at, invalid_at }: z.output<typeof ItemFact>): Fact {
  const [from, to] = [timeOf(valid_at), timeOf(invalid_at)]
  const contradictory = from !== null && to !== null && to < from
  const ends = { subject: cleanName(subject), object: cleanName(object), type: predicateOf(predicate) }
  const sentence = oneLine(fact).slice(0, 500).toWellFormed()
  return {
    ...ends,
    fact: sentence === '' ? `${ends.subject} ${ends.type.replaceAll('_', ' ')} ${ends.object}` : sentence,
    valid_at: contradictory ? null : from,
    ended_at: contradictory ? null : to,
  }
}

const isComplete = ({ subject, type, object }: Fact) => subject !== '' && type !== '' && object !== ''

/** One line without control characters. */
const oneLine = (value: string) =>
  value
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()

const isoTime = /^\d{4}(-\d{2}(-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?)?)?$/

/** Parses an ISO 8601 time, day, month or year. */
function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' || !isoTime.test(value.trim())) return null
  const text = value.trim()
  const at = Date.parse(text.includes('T') && !/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
