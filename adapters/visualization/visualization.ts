import { Worker } from 'node:worker_threads'
import {
  type ProjectCall,
  type Projection,
  type Visualization,
  VisualizationError,
} from '../../runtime/ports/visualization.ts'
import type { ProjectionJob, ProjectionResult } from './worker.ts'

export const libraries = { projection: 'umap-js', clustering: 'ml-kmeans' } as const

/** Milliseconds per projection. */
const timeout = 120_000

/**
 * umap-js and ml-kmeans in a thread that ends after each projection, so that newly installed libraries are used and no
 * memory is kept. Projections run one at a time, because each occupies a core.
 * @param resolve Returns the URL of a library's module; null if it is not installed.
 */
export function createVisualization(resolve: (name: string) => Promise<string | null>): Visualization {
  let last: Promise<unknown> = Promise.resolve()
  const addresses = () => Promise.all([resolve(libraries.projection), resolve(libraries.clustering)])
  return {
    available: async () => (await addresses()).every((address) => address !== null),
    async project(call) {
      const [projection, clustering] = await addresses()
      if (!projection || !clustering)
        throw new VisualizationError('The visualization libraries are not installed')
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
  const timer = setTimeout(() => reject(new VisualizationError('The projection took too long')), timeout)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  worker.once('message', (result: ProjectionResult) => resolve(result))
  worker.once('error', (error) => reject(new VisualizationError(`The projection failed: ${error.message}`)))
  worker.once('exit', () => reject(new VisualizationError('The projection was interrupted')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    await worker.terminate()
  }
}
