import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { startDaemon } from '../../adapters/node/daemon.ts'
import { readEnvironment } from '../../adapters/node/environment.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { importCsv } from '../../runtime/tables/csv.ts'
import {
  addRows,
  editRows,
  listRows,
  putRows,
  type RowQuery,
  removeRows,
  undoChange,
} from '../../runtime/tables/rows.ts'
import { tables } from '../../runtime/tables/tables.ts'
import { percentile, type Row } from './table.ts'

const count = 100_000
const repeats = 40

const line = (index: number) =>
  `Person ${(index * 7_919) % count},${(index * 104_729) % 99_991},${index % 2 === 0},2026-${String((index % 12) + 1).padStart(2, '0')}-03,Some words of a note about number ${index}\n`

async function* csv() {
  yield new TextEncoder().encode('Name,Amount,Paid,Due,Note\n')
  for (let index = 0; index < count; index += 1_000)
    yield new TextEncoder().encode(Array.from({ length: 1_000 }, (_, place) => line(index + place)).join(''))
}

const pages: Record<string, Partial<RowQuery>> = {
  'first page': {},
  'last page': { offset: count - 50 },
  'by a text': { sort: 'Name' },
  'by a number, descending, in the middle': { sort: '-Amount', offset: count / 2 },
  'equal to a text': { filter: [{ column: 'Name', value: 'Person 77' }] },
  'above a number, by a date': { filter: [{ column: 'Amount', is: 'greater', value: 90_000 }], sort: 'Due' },
  'containing a text': { filter: [{ column: 'Note', is: 'contains', value: 'number 7777' }] },
}

async function timed(run: (index: number) => Promise<unknown>, times = repeats): Promise<number[]> {
  const samples: number[] = []
  for (let index = 0; index < times; index += 1) {
    const start = performance.now()
    await run(index)
    samples.push(performance.now() - start)
  }
  return samples
}

/** A table of 100,000 rows: pages of 50, single changes, and what changes all of it. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const environment = readEnvironment({
    SERVICE_DATA_DIR: folder,
    SERVICE_PORT: '0',
    SERVICE_HOST: '127.0.0.1',
  })
  const daemon = await startDaemon({ environment, log: createMemoryLog() })
  try {
    const context = localContext(daemon.host)
    const { id } = await tables.add(context, tables.New.parse({ name: 'Payments', columns: [{ name: 'Name' }] }))
    const once = async (what: string, act: () => Promise<unknown>): Promise<Row> => ({
      what,
      value: (await timed(act, 1))[0] ?? 0,
      unit: 'ms',
    })
    const all: Row[] = [await once('CSV in', () => importCsv(context, id, csv()))]
    for (const [name, query] of Object.entries(pages)) {
      const samples = await timed(() => listRows(context, id, { limit: 50, offset: 0, ...query }))
      const note = `p95 ${percentile(samples, 0.95).toFixed(1)}`
      all.push({ what: `page of 50: ${name}`, value: percentile(samples, 0.5), unit: 'ms', note })
    }
    const single: Record<string, (index: number) => Promise<unknown>> = {
      'one row added': () => addRows(context, id, { rows: [{ Name: 'Ada' }] }),
      'one row changed': (index) => editRows(context, id, { match: 'all', ids: [index + 1], values: { Paid: true } }),
      '100 rows upserted by a text': (index) =>
        putRows(context, id, {
          by: 'Name',
          rows: Array.from({ length: 100 }, (_, place) => ({
            Name: `Person ${index * 100 + place}`,
            Amount: 1,
          })),
        }),
    }
    for (const [what, act] of Object.entries(single))
      all.push({ what, value: percentile(await timed(act), 0.5), unit: 'ms' })
    all.push(await once('all rows deleted', () => removeRows(context, id, { match: 'all', filter: [] })))
    const [deleted] = (await tables.table.list(context, 'id')).map(({ change_id }) => change_id ?? '')
    all.push(await once('and put back', () => undoChange(context, id, deleted ?? '')))
    return all
  } finally {
    await daemon.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
