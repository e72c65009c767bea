import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'

const slow = `WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 1000000)
  SELECT count(*) AS total FROM n`
const readers = 500

test('readers that have yielded to the event loop continue in order, and many in one iteration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-stretch-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { sql, close } = await openStore({ data_dir: folder })
  onTestFinished(() => close())
  const order: number[] = []
  const read = async (index: number) => {
    await sql.read('SELECT ? AS number', [index])
    order.push(index)
  }

  const first = sql.read(slow)
  const others = Promise.all(Array.from({ length: readers }, (_, index) => read(index)))
  let iterations = 0
  while (order.length < readers) {
    await new Promise((resolve) => setImmediate(resolve))
    iterations += 1
  }
  await Promise.all([first, others])

  expect(iterations).toBeGreaterThan(0)
  expect(iterations).toBeLessThan(readers / 2)
  expect(order).toEqual(order.toSorted((left, right) => left - right))
})
