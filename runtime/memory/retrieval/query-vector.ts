import type { Host } from '../../host.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import { readableParts } from './embed-pending.ts'
import { currentEmbedding, type Embedding } from './embedding.ts'
import { meanOf, unit } from './measure.ts'
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

/**
 * A model that takes a question for what it is finds questions. So it is asked twice, with the question and with its
 * statement, each less what all such texts share, and the middle of both is the direction: each makes errors of its own.
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

async function queryVectors(
  host: Host,
  embedding: Embedding,
  texts: readonly string[],
): Promise<(Float32Array | undefined)[]> {
  const { retrieval } = host.process
  const key = (text: string) => `${embedding.name}\n${text}`
  const unknown = texts.filter((text) => !retrieval.query(key(text)))
  const made = unknown.length > 0 ? await embedding.embed(unknown, { purpose: 'query' }) : []
  for (const [index, vector] of made.entries()) retrieval.keepQuery(key(unknown[index] ?? ''), vector)
  return texts.map((text) => retrieval.query(key(text)))
}

/** What questions share, and what their statements share. Also called ahead, so that the first question need not wait. */
export async function questionMeans(host: Host, embedding: Embedding): Promise<readonly Float32Array[]> {
  if (embedding.understands_questions) return []
  const { question_means } = host.process.retrieval
  const known = question_means.get(embedding.name)
  if (known) return known
  const texts = [...genericQuestions, ...genericQuestions.map(statementOf)]
  const asked = embedding
    .embed(texts, { purpose: 'query' })
    .then((vectors) => [
      meanOf(vectors.slice(0, genericQuestions.length)),
      meanOf(vectors.slice(genericQuestions.length)),
    ])
    .catch((thrown: unknown) => {
      question_means.delete(embedding.name)
      throw thrown
    })
  question_means.set(embedding.name, asked)
  return asked
}
