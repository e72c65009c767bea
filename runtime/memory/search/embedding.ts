import type { Host } from '../../host.ts'
import { EmbeddingError, type EmbeddingModel } from '../../ports/embedder.ts'
import { accessTo } from '../../providers/index.ts'
import { readSection } from '../../sections/section.ts'
import { errorMessage } from '../../thrown.ts'
import { memorySettings } from '../settings.ts'
import { searchState } from '../state.ts'
import { hasEpisodes } from '../store.ts'
import genericQuestions from './generic-questions.json' with { type: 'json' }
import { isQuestion, statementOf } from './question.ts'
import { meanOf, unit } from './vector-codes.ts'
import type { VectorIndex } from './vector-index.ts'
import { anyPending, maxParts, storedModel } from './vector-store.ts'

/** The configured embedding model with access to it. */
export interface Embedding extends EmbeddingModel {
  provider: string
  embed(
    texts: readonly string[],
    options: { purpose: 'query' | 'passage'; signal?: AbortSignal },
  ): Promise<Float32Array[]>
}

/** The configured model; null if none is configured or this host does not have it. */
export async function currentEmbedding(host: Host): Promise<Embedding | null> {
  const { provider, model } = (await readSection(host, memorySettings)).embedding
  if (provider === 'none') return null
  const described = host.embedder.describe(provider, model)
  if (!described) return null
  return {
    ...described,
    provider,
    async embed(texts, options) {
      const access = provider === 'local' ? {} : await accessOf(host, provider, described.model)
      return host.embedder.embed({ provider, model: described.model, texts, ...access, ...options })
    },
  }
}

async function accessOf(host: Host, provider: string, model: string) {
  try {
    const { api_key, base_url } = await accessTo(host, provider, model)
    return { ...(api_key ? { api_key } : {}), ...(base_url ? { base_url } : {}) }
  } catch (thrown) {
    throw new EmbeddingError(errorMessage(thrown))
  }
}

/** The parts of a text that the model can represent. */
export function readableParts(
  text: string,
  { max_characters, scripts }: Pick<Embedding, 'max_characters' | 'scripts'>,
): string[] {
  const parts = chunksOf(text, max_characters)
  return scripts === 'any' ? parts : parts.filter(isLatin)
}

const sentenceEnd = /(?<=[.!?…。！？])\s+|\n+/u

/** Splits a text into parts of at most `max` characters, between sentences if possible. Blank parts are left out. */
export function chunksOf(text: string, max: number): string[] {
  const parts: string[] = []
  let open = ''
  for (const piece of text.split(sentenceEnd).flatMap((sentence) => splitSentence(sentence, max))) {
    if (open !== '' && open.length + 1 + piece.length > max) {
      parts.push(open)
      open = ''
    }
    open = open === '' ? piece : `${open} ${piece}`
  }
  parts.push(open)
  return parts.filter((part) => part.trim() !== '').slice(0, maxParts)
}

/** Splits a long sentence between words, and a long word anywhere. */
function splitSentence(sentence: string, max: number): string[] {
  const parts: string[] = []
  let rest = sentence.trim()
  while (rest.length > max) {
    const space = rest.lastIndexOf(' ', max)
    const end = space > max / 2 ? space : max
    parts.push(rest.slice(0, end).toWellFormed())
    rest = rest.slice(end).trim()
  }
  return [...parts, rest]
}

const letter = /\p{L}/gu
const latin = /\p{Script=Latin}/gu

/** Whether at least half of the letters are Latin. A text without letters has no meaning to a model of words. */
export function isLatin(text: string): boolean {
  const letters = text.match(letter)?.length ?? 0
  return letters > 0 && (text.match(latin)?.length ?? 0) * 2 >= letters
}

/** Milliseconds that a search waits for an embedding; then it uses keywords only, and the next search has it cached. */
const patience = 300

/** Why a search used no embeddings, or not those of all episodes. */
export type Degraded = 'embeddings_unavailable' | 'embeddings_loading' | 'embeddings_incomplete'

export interface QueryVector {
  /** Measured from the mean of the index. */
  direction: Float32Array
  index: VectorIndex
}

export interface EmbeddedQuery {
  /** Null: the search uses keywords only. */
  meaning: QueryVector | null
  degraded?: Degraded
}

/** Embeds a query, unless the embedder is missing, fails or is too slow. */
export async function embedQuery(host: Host, text: string): Promise<EmbeddedQuery> {
  const embedding = await currentEmbedding(host)
  if (!embedding) return { meaning: null, degraded: 'embeddings_unavailable' }
  const waited = new AbortController()
  const late = host.clock.after(patience, waited.signal).then(
    () => ({ meaning: null, degraded: 'embeddings_loading' }) as const,
    () => new Promise<never>(() => undefined),
  )
  const embedded = embed(host, embedding, text).catch((thrown: unknown): EmbeddedQuery => {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    host.log.write('warn', 'a query could not be embedded', { reason: thrown.message })
    return { meaning: null, degraded: 'embeddings_unavailable' }
  })
  try {
    return await Promise.race([embedded, late])
  } finally {
    waited.abort()
  }
}

async function embed(host: Host, embedding: Embedding, text: string): Promise<EmbeddedQuery> {
  const index = searchState(host).index(embedding.name)
  const [[part], incomplete] = [readableParts(text, embedding), await isIncomplete(host, embedding)]
  const degraded = incomplete ? ({ degraded: 'embeddings_incomplete' } as const) : {}
  await index.sync(host)
  // Text that the model cannot read is left to keywords, which is not a degradation.
  const nothing = index.size === 0 || !(await hasEpisodes(host))
  if (part === undefined || nothing) return { meaning: null, ...degraded }
  const direction = await directionOf(host, embedding, { text: part, index })
  return { meaning: { direction, index }, ...degraded }
}

const isIncomplete = async (host: Host, { name }: Embedding): Promise<boolean> =>
  (await anyPending(host)) || ((await storedModel(host)) ?? name) !== name

/**
 * A model that was not trained on questions finds questions. So the question and its statement are both embedded, the
 * mean of all such texts is subtracted from each, and their average is the direction: their errors are independent.
 */
async function directionOf(
  host: Host,
  embedding: Embedding,
  { text, index }: { text: string; index: VectorIndex },
): Promise<Float32Array> {
  if (embedding.understands_questions || !isQuestion(text)) {
    const [vector] = await queryVectors(host, embedding, [text])
    return lessMean(vector, index.mean)
  }
  const vectors = await queryVectors(host, embedding, [text, statementOf(text)])
  const means = await questionMeans(host, embedding)
  const [question, statement] = vectors.map((vector, at) => unit(lessMean(vector, means[at])))
  return question?.map((value, at) => value + (statement?.[at] ?? 0)) ?? new Float32Array(0)
}

const lessMean = (vector: Float32Array | undefined, mean: Float32Array | undefined): Float32Array =>
  (vector ?? new Float32Array(0)).map((value, at) => value - (mean?.[at] ?? 0))

export async function queryVectors(
  host: Host,
  embedding: Embedding,
  texts: readonly string[],
): Promise<(Float32Array | undefined)[]> {
  const { queries } = searchState(host)
  const key = (text: string) => `${embedding.name}\n${text}`
  const unknown = texts.filter((text) => !queries.has(key(text)))
  const made = unknown.length > 0 ? await embedding.embed(unknown, { purpose: 'query' }) : []
  for (const [index, vector] of made.entries()) queries.set(key(unknown[index] ?? ''), vector)
  return texts.map((text) => queries.get(key(text)))
}

/** The mean vectors of questions and of their statements. Also called in advance, so that no search waits for them. */
export async function questionMeans(host: Host, embedding: Embedding): Promise<readonly Float32Array[]> {
  if (embedding.understands_questions) return []
  const { question_means } = searchState(host)
  const mean = question_means.get(embedding.name)
  if (mean) return mean
  const texts = [...genericQuestions, ...genericQuestions.map(statementOf)]
  const means = embedding
    .embed(texts, { purpose: 'query' })
    .then((vectors) => [
      meanOf(vectors.slice(0, genericQuestions.length)),
      meanOf(vectors.slice(genericQuestions.length)),
    ])
    .catch((thrown: unknown) => {
      question_means.delete(embedding.name)
      throw thrown
    })
  question_means.set(embedding.name, means)
  return means
}
