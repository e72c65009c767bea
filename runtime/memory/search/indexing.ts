import type { Context } from '../../context.ts'
import { EmbeddingError } from '../../ports/embedder.ts'
import type { Statement } from '../../ports/sql.ts'
import { searchState } from '../state.ts'
import { currentEmbedding, type Embedding, readableParts } from './embedding.ts'
import { fillBigrams, refreshConversations } from './search-store.ts'
import {
  changeModel,
  countPending,
  type Pending,
  pendingEpisodes,
  pruneChanges,
  saveVectors,
  storedModel,
} from './vector-store.ts'

/** Episodes per batch. The local model takes about half a second of its own thread for one. */
const batchSize = 32
/** Changes kept for other processes. A process that has missed more rebuilds its index. */
const keptChanges = 100_000

export interface EmbedOptions {
  /** Maximum number of episodes. Default: all. */
  limit?: number
  /** Called after each batch. */
  onProgress?(progress: { done: number; total: number }): void
  /** Called with the episode ids of each batch after its vectors are stored. */
  afterBatch?(ids: readonly string[]): Promise<void>
}

export interface Embedded {
  embedded: number
  failed: number
  /** Why there are no vectors. */
  warning?: string
}

/**
 * Embeds every episode without a vector of the current model and updates the other search indexes. When `context.signal`
 * aborts, it throws the signal's reason and keeps what is done. An episode that the model cannot read, such as text in
 * another script, counts as embedded without a vector.
 */
export async function embedPending(context: Context, options: EmbedOptions = {}): Promise<Embedded> {
  await fillBigrams(context)
  await refreshConversations(context)
  const embedding = await currentEmbedding(context)
  if (!embedding) return { embedded: 0, failed: 0, warning: 'Embeddings are off or not available on this host' }
  if ((await storedModel(context)) !== embedding.name) await context.commit(changeModel(embedding.name))
  const total = Math.min(await countPending(context), options.limit ?? Infinity)
  const running = searchState(context).embedding
  const result: Embedded = { embedded: 0, failed: 0 }
  const others: (Promise<unknown> | undefined)[] = []
  for (let after = -1, done = 0; done < total; ) {
    context.signal.throwIfAborted()
    const pending = await pendingEpisodes(context, after, Math.min(batchSize, total - done))
    if (pending.length === 0) break
    after = pending.at(-1)?.seq ?? after
    done += pending.length
    // A concurrent pass embeds the others.
    const own = pending.filter(({ seq }) => !running.has(seq))
    others.push(...new Set(pending.map(({ seq }) => running.get(seq))))
    const failure = await claimed(running, own, () => embedBatch(context, embedding, own))
    if (failure) result.warning = failure
    result[failure ? 'failed' : 'embedded'] += own.length
    options.onProgress?.({ done, total })
    await options.afterBatch?.(own.map(({ id }) => id))
    if (failure && result.embedded === 0) return { ...result, failed: total }
  }
  await Promise.allSettled(others)
  return result
}

/** Marks episodes as being embedded by this pass. */
async function claimed<Result>(
  running: Map<number, Promise<unknown>>,
  episodes: readonly Pending[],
  work: () => Promise<Result>,
): Promise<Result> {
  const done = work()
  for (const { seq } of episodes) running.set(seq, done)
  try {
    return await done
  } finally {
    for (const { seq } of episodes) running.delete(seq)
  }
}

/** Returns null, or why the batch failed. Failed episodes stay pending. */
async function embedBatch(context: Context, embedding: Embedding, pending: readonly Pending[]): Promise<string | null> {
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
    if (newest % 1_000 < batchSize) statements.push(pruneChanges(newest - keptChanges))
    // Vectors lost in a power failure are pending again.
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
  for (let index = 0; index < texts.length; index += embedding.max_texts) {
    context.signal.throwIfAborted()
    const some = texts.slice(index, index + embedding.max_texts)
    vectors.push(...(await embedding.embed(some, { purpose: 'passage', signal: context.signal })))
  }
  return vectors
}
