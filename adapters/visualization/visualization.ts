import {
  type ProjectCall,
  type Projection,
  type Visualization,
  VisualizationError,
} from '../../runtime/ports/visualization.ts'
import { askProcess, ProcessLost } from '../process/ask.ts'
import type { ProjectionAnswer, ProjectionJob } from './projection-process.ts'

export const libraries = { projection: 'umap-js', clustering: 'ml-kmeans' } as const

/** Milliseconds per projection. */
const timeout = 120_000
/** JavaScript memory of the process in MB. */
const maxMb = 1_024

const projectionProcess = new URL('projection-process.ts', import.meta.url)

const failed = (why: string) => new VisualizationError(`The projection failed: ${why}`)

/**
 * umap-js and ml-kmeans in a process that ends after each projection, so that newly installed libraries are used and no
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
      if (!projection || !clustering) throw new VisualizationError('The visualization libraries are not installed')
      const { table, clusters, seed } = call
      const job = { ...table, clusters, seed, libraries: { projection, clustering } }
      const turn = last.then(() => runProcess(job, call.signal))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

async function runProcess(question: ProjectionJob, signal: ProjectCall['signal']): Promise<Projection> {
  const late = AbortSignal.timeout(timeout)
  const call = { module: projectionProcess, question, max_mb: maxMb, signal: AbortSignal.any([signal, late]) }
  const answer = await askProcess<ProjectionAnswer>(call).catch((thrown: unknown) => {
    if (thrown === late.reason) throw new VisualizationError('The projection took too long')
    throw thrown instanceof ProcessLost ? failed(thrown.message) : thrown
  })
  if ('error' in answer) throw failed(answer.error)
  return answer
}
