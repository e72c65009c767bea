import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { type Daemon, startDaemon } from '../../adapters/node/daemon.ts'
import { readEnvironment } from '../../adapters/node/environment.ts'
import { tick } from '../../runtime/tick.ts'
import { type Grown, grow, grownHome, readsOf } from '../support/growth.ts'
import { StatementCosts } from '../support/statement-costs.ts'
import { remove } from './processes.ts'
import { percentile, type Row } from './table.ts'

/** Rows in each table. `ROWS=1000,1000000` for others. */
const sizes = (process.env.ROWS ?? '1000,10000,100000').split(',').map(Number)
/** `ONLY=start` for what has that in its name. */
const only = process.env.ONLY ?? ''
const repeats = 9
/** Milliseconds; quicker reads are left out. */
const shown = 5

interface Cost {
  ms: number
  p95: number
  steps: number
}

/** What reads, a start, a tick and a backup cost with more and more rows in the tables of a home. */
export async function run(): Promise<Row[]> {
  const costs = StatementCosts.install()
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const environment = readEnvironment({ SERVICE_HOST: '127.0.0.1', SERVICE_PORT: '0', SERVICE_DATA_DIR: folder })
  const start = () => startDaemon({ environment, log: createMemoryLog(), web_folder: join(folder, 'none') })
  let daemon: Daemon = await start()
  let home = await grownHome(daemon.host)
  const measured = new Map<string, Cost[]>()
  const measure = async (what: string, act: () => Promise<unknown>, times = repeats) => {
    if (what !== 'start' && !what.includes(only)) return
    const samples: number[] = []
    costs.reset()
    for (let index = 0; index < times; index += 1) {
      const begun = performance.now()
      await act()
      samples.push(performance.now() - begun)
    }
    const steps = costs.costs().reduce((sum, cost) => sum + cost.steps, 0) / times
    measured.set(what, [
      ...(measured.get(what) ?? []),
      { ms: percentile(samples, 0.5), p95: percentile(samples, 0.95), steps },
    ])
  }
  let rows = 0
  for (const size of sizes) {
    await grow(home, rows, size)
    rows = size
    await daemon.close()
    const restart = async () => {
      daemon = await start()
    }
    await measure('start', restart, 1)
    home = { ...home, host: daemon.host, ask: home.askOf(daemon.host) }
    await measure('tick', () => tick(home.host))
    for (const path of await readsOf(home)) await measure(path, async () => (await home.ask('GET', path)).arrayBuffer())
    await measure('backup', () => backUp(home), 1)
  }
  await daemon.close()
  costs.uninstall()
  remove(folder)
  return [...measured].filter(([what, list]) => !what.startsWith('/') || (list.at(-1)?.ms ?? 0) > shown).map(rowOf)
}

async function backUp({ ask }: Grown): Promise<void> {
  const { id } = await (await ask('POST', '/api/settings/backups', {})).json()
  for (;;) {
    const { status } = await (await ask('GET', `/api/settings/backup/jobs/${id}`)).json()
    if (status !== 'running') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const rowOf = ([what, list]: [string, Cost[]]): Row => ({
  what,
  value: list.at(-1)?.ms ?? Number.NaN,
  unit: 'ms',
  note: list
    .map(({ ms, steps }, index) => `${sizes[index]} rows ${ms.toFixed(1)} ms, ${Math.round(steps)} steps`)
    .join('; '),
})
