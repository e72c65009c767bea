import { expect } from 'vitest'
import { openDatabase } from '../../adapters/libsql/database.ts'

interface SlotRow {
  job_id: string
  scheduled_for: string
  status: string
  message_id: string | null
}

const slots = `SELECT job_id, scheduled_for, status, message_id FROM scheduler_runs
  WHERE trigger IN ('schedule', 'catchup') ORDER BY job_id, scheduled_for`

export function rowsOf<Row>(file: string, sql: string): Row[] {
  const db = openDatabase(file)
  const rows = db.prepare(sql).all([]) as Row[]
  db.close()
  return rows
}

/** Every second from the first due time of a job to its last has one row and no second one. */
export function checkSlots(file: string, interval: number): void {
  expect(rowsOf(file, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  const byJob = Map.groupBy(rowsOf<SlotRow>(file, slots), ({ job_id }) => job_id)
  expect(byJob.size).toBeGreaterThan(0)
  for (const rows of byJob.values()) {
    const first = Date.parse(rows[0]?.scheduled_for ?? '')
    const expected = rows.map((_, index) => new Date(first + index * interval * 1_000).toISOString())
    expect(rows.map(({ scheduled_for }) => scheduled_for)).toEqual(expected)
  }
  const twice = `SELECT message_id FROM scheduler_runs WHERE message_id IS NOT NULL GROUP BY message_id HAVING count(*) > 1`
  expect(rowsOf(file, twice)).toEqual([])
  const answers = `SELECT count(*) AS count FROM conversations WHERE kind = 'scheduled' AND NOT EXISTS (
    SELECT 1 FROM scheduler_runs WHERE conversation_id = conversations.id)`
  expect(rowsOf(file, answers)).toEqual([{ count: 0 }])
}
