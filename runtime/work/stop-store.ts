import type { Statement } from '../ports/sql.ts'

/** Asks the process that runs a unit to stop it. The process checks when it renews its leases. */
export const requestStop = (id: string, reason: string): Statement => ({
  sql: `UPDATE work SET stop_requested = ? WHERE id = ? AND status = 'running' AND stop_requested IS NULL`,
  args: [reason, id],
  guard: 'This work has changed in the meantime',
})
