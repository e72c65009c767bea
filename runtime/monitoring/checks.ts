import type { Host } from '../host.ts'
import { StoreUnavailable } from '../ports/sql.ts'
import { showProviders } from '../providers/show.ts'
import { iso, minute, second } from '../time.ts'
import type { ComponentId, ComponentStatus } from './schema.ts'
import { countIndexedEpisodes, countOverdueWork, lastProbe, probeStore } from './store.ts'

export interface Finding {
  status: ComponentStatus
  message?: string
}

export interface Check {
  name: string
  /** Throws when the component is down. */
  run(host: Host): Promise<Finding>
}

const healthy: Finding = { status: 'healthy' }

/** Bytes. Below this the next large write may fail. */
const littleSpace = 8 * 1024 * 1024

/** What each component must be able to do, tried for real. None calls a model or another machine. */
export const checks: Record<ComponentId, Check> = {
  api: { name: 'API', run: checkApi },
  db: { name: 'Database', run: checkDatabase },
  workers: { name: 'Workers', run: checkWorkers },
  memory: { name: 'Memory', run: checkMemory },
  ai: { name: 'AI models', run: checkModels },
}

async function checkApi({ process }: Host): Promise<Finding> {
  if (process.stopping.aborted) return { status: 'down', message: 'hearthd is stopping' }
  return process.ready ? healthy : { status: 'down', message: 'hearthd is starting' }
}

/** Anybody may ask for readiness, and a probe costs an fsync: one a second is enough. */
const probeEvery = second

async function probe(host: Host): Promise<void> {
  const now = host.clock.now()
  const last = Date.parse((await lastProbe(host)) ?? '')
  if (Math.abs(now - last) < probeEvery) return
  await probeStore(host, iso(now))
}

/** Reads, writes, and looks at the space that is left. */
export async function checkDatabase(host: Host): Promise<Finding> {
  try {
    await probe(host)
  } catch (thrown) {
    if (thrown instanceof StoreUnavailable)
      return { status: 'down', message: 'The database cannot be written' }
    throw thrown
  }
  const disk = await host.machine.disk()
  if (disk && disk.free_bytes < littleSpace)
    return { status: 'down', message: 'The disk that holds the database is full' }
  return healthy
}

async function checkWorkers(host: Host): Promise<Finding> {
  const waiting = await countOverdueWork(host, iso(host.clock.now() - minute))
  if (waiting === 0) return healthy
  return { status: 'degraded', message: `${waiting} due for more than a minute and not started` }
}

async function checkMemory(host: Host): Promise<Finding> {
  await countIndexedEpisodes(host)
  return healthy
}

async function checkModels(host: Host): Promise<Finding> {
  const { providers } = await showProviders(host)
  const configured = providers.filter((provider) => provider.configured)
  if (configured.length === 0)
    return { status: 'healthy', message: 'Only the built-in offline model; no provider is configured' }
  const troubled = configured
    .filter(({ status }) => status === 'error' || status === 'cooldown')
    .map(({ name }) => name)
  if (troubled.length === 0) return healthy
  return { status: 'degraded', message: `Not available at the moment: ${troubled.join(', ')}` }
}
