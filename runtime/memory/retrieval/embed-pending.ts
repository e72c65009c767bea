import type { Context } from '../../context.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import type { Statement } from '../../ports/sql.ts'
import { chunksOf, isLatin } from './chunks.ts'
import { refreshConversations } from './conversations.ts'
import { currentEmbedding, type Embedding } from './embedding.ts'
import { pairPending } from './pairs.ts'
import {
  changeModel,
  countPending,
  forgetChanges,
  type Pending,
  pendingEpisodes,
  saveVectors,
  storedModel,
} from './vector-store.ts'

/** Episodes embedded at once. A batch of the local model takes about half a second of its own thread. */
const batch = 32
/** Changes that are kept for other processes, which read everything anew when they have missed more. */
const keptChanges = 100_000

export interface EmbedOptions {
  /** Episodes at most; default all. */
  limit?: number
  /** Told after each batch. */
  onProgress?(progress: { done: number; total: number }): void
  /** Told the ids of the episodes of each batch, once their vectors are stored. */
  afterBatch?(ids: readonly string[]): Promise<void>
}

export interface Embedded {
  embedded: number
  failed: number
  /** Why there are no vectors, when there can be none. */
  warning?: string
}

/**
 * Embeds every episode that lacks a vector of the present model, and brings the other indexes of the search up to
 * date. Stops with the reason of `context.signal`; what is done by then is kept. An episode that the model cannot
 * read, such as text in another script, is done without a vector.
 */
export async function embedPending(context: Context, options: EmbedOptions = {}): Promise<Embedded> {
  await pairPending(context)
  await refreshConversations(context)
  const embedding = await currentEmbedding(context)
  if (!embedding)
    return { embedded: 0, failed: 0, warning: 'Embeddings are switched off, or this host has none' }
  await heedModel(context, embedding)
  const total = Math.min(await countPending(context), options.limit ?? Infinity)
  const { claims } = context.process.retrieval
  const result: Embedded = { embedded: 0, failed: 0 }
  const others: (Promise<unknown> | undefined)[] = []
  for (let after = -1, done = 0; done < total; ) {
    context.signal.throwIfAborted()
    const pending = await pendingEpisodes(context, after, Math.min(batch, total - done))
    if (pending.length === 0) break
    after = pending.at(-1)?.seq ?? after
    done += pending.length
    const own = pending.filter(({ seq }) => !claims.holder(seq))
    others.push(...new Set(pending.map(({ seq }) => claims.holder(seq))))
    const seqs = own.map(({ seq }) => seq)
    const failure = await claims.hold(seqs, () => embedBatch(context, embedding, own))
    if (failure) result.warning = failure
    result[failure ? 'failed' : 'embedded'] += own.length
    options.onProgress?.({ done, total })
    await options.afterBatch?.(own.map(({ id }) => id))
    if (failure && result.embedded === 0) return { ...result, failed: total }
  }
  await Promise.allSettled(others)
  return result
}

async function heedModel(context: Context, embedding: Embedding): Promise<void> {
  if ((await storedModel(context)) !== embedding.name) await context.commit(changeModel(embedding.name))
}

/** Null, or why it failed. Then the episodes go on waiting. */
async function embedBatch(
  context: Context,
  embedding: Embedding,
  pending: readonly Pending[],
): Promise<string | null> {
  if (pending.length === 0) return null
  const parts = pending.map(({ content }) => readableParts(content, embedding))
  try {
    const vectors = await embedAll(context, embedding, parts.flat())
    const statements: Statement[] = []
    let taken = 0
    for (const [index, episode] of pending.entries()) {
      const end = taken + (parts[index]?.length ?? 0)
      statements.push(...saveVectors(episode, embedding.name, vectors.slice(taken, end)))
      taken = end
    }
    const newest = pending.at(-1)?.seq ?? 0
    if (newest % 1_000 < batch) statements.push(forgetChanges(newest - keptChanges))
    // What a power failure takes waits again, and is made again.
    await context.sql.write(statements, { durable: false })
    return null
  } catch (thrown) {
    if (!(thrown instanceof EmbeddingError)) throw thrown
    context.log.write('warn', 'episodes could not be embedded', { reason: thrown.message })
    return thrown.message
  }
}

async function embedAll(context: Context, embedding: Embedding, texts: readonly string[]) {
  const vectors: Float32Array[] = []
  for (let index = 0; index < texts.length; index += embedding.most_texts) {
    context.signal.throwIfAborted()
    const some = texts.slice(index, index + embedding.most_texts)
    vectors.push(...(await embedding.embed(some, { purpose: 'passage', signal: context.signal })))
  }
  return vectors
}

/** The parts of a text that the model can tell from others. */
export function readableParts(
  text: string,
  { most_characters, letters }: Pick<Embedding, 'most_characters' | 'letters'>,
): string[] {
  const parts = chunksOf(text, most_characters)
  return letters === 'any' ? parts : parts.filter(isLatin)
}
