import { Worker } from 'node:worker_threads'
import {
  type ProjectCall,
  type Projection,
  type Visualization,
  VisualizationError,
} from '../../runtime/ports/visualization.ts'
import type { ProjectionJob, ProjectionResult } from './worker.ts'

export const libraries = { projection: 'umap-js', clustering: 'ml-kmeans' } as const

/** Milliseconds that one picture may take. */
const longest = 120_000

/**
 * Projection and clustering in a thread that ends with each picture, so that freshly installed libraries count and no
 * memory stays. One picture at a time: each keeps a core busy.
 * @param resolve the address of a library's module, null while it is not installed
 */
export function createVisualization(resolve: (name: string) => Promise<string | null>): Visualization {
  let last: Promise<unknown> = Promise.resolve()
  const addresses = () => Promise.all([resolve(libraries.projection), resolve(libraries.clustering)])
  return {
    available: async () => (await addresses()).every((address) => address !== null),
    async project(call) {
      const [projection, clustering] = await addresses()
      if (!projection || !clustering) throw new VisualizationError('Its libraries are not installed')
      const { table, clusters, seed } = call
      const job = { ...table, clusters, seed, libraries: { projection, clustering } }
      const turn = last.then(() => runWorker(job, call.signal))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

async function runWorker(job: ProjectionJob, signal: ProjectCall['signal']): Promise<Projection> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 1_024 },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Projection>()
  const timer = setTimeout(() => reject(new VisualizationError('Drawing the map took too long')), longest)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  worker.once('message', (result: ProjectionResult) => resolve(result))
  worker.once('error', (error) => reject(new VisualizationError(`Drawing the map failed: ${error.message}`)))
  worker.once('exit', () => reject(new VisualizationError('Drawing the map was cut short')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
