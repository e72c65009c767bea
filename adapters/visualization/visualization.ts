import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  type ProjectCall,
  type Projection,
  type Visualization,
  VisualizationError,
} from '../../runtime/ports/visualization.ts'
import type { ProjectionAnswer, ProjectionJob } from './projection-process.ts'

export const libraries = { projection: 'umap-js', clustering: 'ml-kmeans' } as const

/** Milliseconds per projection. */
const timeout = 120_000
/** JavaScript memory of the process in MB. */
const maxMb = 1_024

/**
 * umap-js and ml-kmeans in a process that ends after each projection, so that newly installed libraries are used and no
 * memory is kept. A thread that exceeds its memory in one allocation would abort the daemon. Projections run one at a
 * time, because each occupies a core.
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
      const turn = last.then(() => runProcess(job, call.signal))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

async function runProcess(job: ProjectionJob, signal: ProjectCall['signal']): Promise<Projection> {
  signal.throwIfAborted()
  const child = fork(new URL('projection-process.ts', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [`--max-old-space-size=${maxMb}`],
    env: {},
  })
  const exited = once(child, 'exit').catch(() => undefined)
  const { promise, resolve, reject } = Promise.withResolvers<Projection>()
  const timer = setTimeout(() => reject(new VisualizationError('The projection took too long')), timeout)
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const fail = (why: string) => reject(new VisualizationError(`The projection failed: ${why}`))
  child.on('message', (answer: ProjectionAnswer) =>
    'error' in answer ? fail(answer.error) : resolve(answer),
  )
  child.on('error', ({ message }) => fail(message))
  child.on('exit', () => reject(new VisualizationError('The projection was interrupted')))
  child.send(job)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await exited
  }
}
