import type { Host } from '../../host.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import { readableParts } from './embed-pending.ts'
import { currentEmbedding, type Embedding } from './embedding.ts'
import { meanOf } from './measure.ts'
import { genericQuestions, isQuestion, statementOf } from './statement.ts'
import type { VectorIndex } from './vector-index.ts'
import { anyPending, storedModel } from './vector-store.ts'

/** Milliseconds that a search waits for what is not in memory yet; then it goes by words, and the next one has it. */
const patience = 300

/** Why a search went without meaning, or with the meaning of some episodes only. */
export type Degraded = 'embeddings_unavailable' | 'embeddings_loading' | 'embeddings_incomplete'

export interface Meaning {
  /** What is looked for, measured from the mean of the index. */
  direction: Float32Array
  index: VectorIndex
}

export interface Understood {
  /** Null: by words alone, and `degraded` says why. */
  meaning: Meaning | null
  degraded?: Degraded
}

/** The meaning of a query, unless the embedder is missing, fails, or takes longer than a person should wait. */
export async function understand(host: Host, text: string): Promise<Understood> {
  const embedding = await currentEmbedding(host)
  if (!embedding) return { meaning: null, degraded: 'embeddings_unavailable' }
  const waited = new AbortController()
  const late = host.clock.after(patience, waited.signal).then(
    () => ({ meaning: null, degraded: 'embeddings_loading' }) as const,
    () => new Promise<never>(() => undefined),
  )
  const found = measure(host, embedding, text).catch((thrown: unknown): Understood => {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    host.log.write('warn', 'a query could not be embedded', { reason: thrown.message })
    return { meaning: null, degraded: 'embeddings_unavailable' }
  })
  try {
    return await Promise.race([found, late])
  } finally {
    waited.abort()
  }
}

async function measure(host: Host, embedding: Embedding, text: string): Promise<Understood> {
  const index = host.process.retrieval.index(embedding.name)
  const [[part], unfinished] = [readableParts(text, embedding), await isUnfinished(host, embedding)]
  const incomplete = unfinished ? ({ degraded: 'embeddings_incomplete' } as const) : {}
  await index.sync(host)
  // Text that the model cannot read is left to words, and nothing is missing in that.
  if (part === undefined || index.size === 0) return { meaning: null, ...incomplete }
  const direction = await directionOf(host, embedding, { text: part, index })
  return { meaning: { direction, index }, ...incomplete }
}

const isUnfinished = async (host: Host, { name }: Embedding): Promise<boolean> =>
  (await anyPending(host)) || ((await storedModel(host)) ?? name) !== name

/** With a model that takes a question for what it is, its statement is looked for, less what all questions share. */
async function directionOf(
  host: Host,
  embedding: Embedding,
  { text, index }: { text: string; index: VectorIndex },
): Promise<Float32Array> {
  const asked = !embedding.understands_questions && isQuestion(text)
  const vector = await queryVector(host, embedding, asked ? statementOf(text) : text)
  const mean = asked ? await questionMean(host, embedding) : index.mean
  return vector.map((value, at) => value - (mean[at] ?? 0))
}

async function queryVector(host: Host, embedding: Embedding, text: string): Promise<Float32Array> {
  const { retrieval } = host.process
  const key = `${embedding.name}\n${text}`
  const known = retrieval.query(key)
  if (known) return known
  const [vector] = await embedding.embed([text], { purpose: 'query' })
  if (!vector) throw new EmbeddingError(`${embedding.provider} answered no vector`)
  retrieval.keepQuery(key, vector)
  return vector
}

async function questionMean(host: Host, embedding: Embedding): Promise<Float32Array> {
  const { question_means } = host.process.retrieval
  const known = question_means.get(embedding.name)
  if (known) return known
  const asked = embedding
    .embed(genericQuestions.map(statementOf), { purpose: 'query' })
    .then(meanOf)
    .catch((thrown: unknown) => {
      question_means.delete(embedding.name)
      throw thrown
    })
  question_means.set(embedding.name, asked)
  return asked
}
