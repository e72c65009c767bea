import Database from 'libsql'
import { expect, test } from 'vitest'
import { LocalSql } from '../../adapters/libsql/local.ts'
import { createMemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import { migrate } from '../../runtime/migrations/migrate.ts'
import { grow, grownHome, readsOf } from '../support/growth.ts'
import { StatementCosts } from '../support/statement-costs.ts'

const costs = StatementCosts.install()
const [few, many] = [200, 2_000]

/** Instructions of SQLite for each further row, of the reads that need some; all others need none. */
const perRow: [path: RegExp, steps: number][] = [
  // A page with the total of all rows: counted in an index.
  [/^\/api\/(auth\/audit|memory\/episodes|scheduler\/runs|monitoring\/calls|workflows\/executions)$/, 4],
  [/^\/api\/(chat\/conversations|scheduler\/jobs\/\w+\/runs|workflows\/\w+\/executions)$/, 11],
  // Words that every text has, so every row is ranked.
  [/^\/api\/(chat|memory)\/search|\/related$/, 25],
  // A memory as a whole.
  [/^\/api\/memory\/(stats|clusters)$/, 30],
  // Only the rows of a period, or the latest of them, up to a limit: all rows of this test are from one day.
  [/^\/api\/scheduler\/(jobs\/\w+\/stats|calendar-dataa?|smart\/\w+|stats)$/, 28],
  [/^\/api\/monitoring\/(usage|analytics|activity-summary)$/, 32],
  [/^\/api\/(monitoring\/now|permissions\/proposals)$/, 12],
  // The sums of each quarter of an hour.
  [/^\/api\/monitoring\/tokens/, 3],
  // Reads the whole file and the large values of each execution, outside the event loop; the result is kept for a while.
  [/^\/api\/settings\/storage$/, 680],
]
/** What the host in memory lacks. */
const lacking = /unsupported|bad_request/

const limitOf = (path: string) => perRow.find(([shape]) => shape.test(path))?.[1] ?? 0

async function home() {
  const sql = new LocalSql(new Database(':memory:'), async () => ({ bytes: 0, wal_bytes: 0 }))
  await migrate(sql, '0.1.0', '2026-01-05T12:00:00.000Z')
  return grownHome(await createMemoryHost(areas, { sql }))
}

test('a read costs no more with ten times the rows, or as much for each as the table says', async () => {
  const grown = await home()
  const paths = await readsOf(grown)
  const measure = async () => {
    const steps = new Map<string, number>()
    for (const path of paths) {
      costs.reset()
      const response = await grown.ask('GET', path)
      const text = await response.text()
      expect(response.ok || lacking.test(text), `${path}: ${text}`).toBe(true)
      steps.set(
        path,
        costs.costs().reduce((sum, cost) => sum + cost.steps, 0),
      )
    }
    return steps
  }
  await grow(grown, 0, few)
  await measure()
  const before = await measure()
  await grow(grown, few, many)
  const after = await measure()
  const grownBy = paths.map(
    (path) => [path, ((after.get(path) ?? 0) - (before.get(path) ?? 0)) / (many - few)] as const,
  )

  expect(grownBy.filter(([path, steps]) => steps > limitOf(path) + 0.5)).toEqual([])
})
