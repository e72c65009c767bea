import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../adapters/libsql/open.ts'
import { textsFor } from '../faults/pairs/measure.ts'
import { type Operation, operations } from '../faults/pairs/operations.ts'
import { type Pair, pairs } from '../faults/pairs/texts.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import type { Row } from './table.ts'

/** The longest that hostile pairs of a stored and a requested text block the event loop, in a database file. */
export async function run(): Promise<Row[]> {
  const rows: Row[] = []
  for (const operation of operations) {
    let worst = { milliseconds: 0, name: '' }
    for (const pair of pairs) {
      const milliseconds = await longestStretch(operation, pair)
      if (milliseconds > worst.milliseconds) worst = { milliseconds, name: pair.name }
    }
    rows.push({
      what: operation.name,
      value: worst.milliseconds,
      unit: 'ms',
      note: `longest block, ${worst.name}`,
    })
  }
  return rows
}

async function longestStretch(operation: Operation, pair: Pair): Promise<number> {
  const { stored, asked } = textsFor(pair, operation)
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const store = await openStore({ data_dir: folder })
  try {
    const models = scriptedModels(text('Yes.'), text('Yes.'))
    const host = await testHost({ sql: store.sql, models })
    const run = await operation.open(host, stored)
    await run('tea with milk')
    return await watch(() => run(asked))
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Milliseconds of CPU time of this thread between two turns of the event loop, at most. */
async function watch(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = process.threadCpuUsage()
  let done = false
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1_000)
    last = process.threadCpuUsage()
    if (!done) setImmediate(look)
  }
  setImmediate(look)
  await work()
  look()
  done = true
  return longest
}
