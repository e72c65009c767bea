import type { Host } from './host.ts'
import { readSecurity } from './settings/security.ts'
import { day, iso } from './time.ts'
import { pruneWork } from './work/store.ts'

const every = day
const keptWork = 7 * day
/** Events beyond the ring of the bus are for those who were away: webhooks, another daemon, a person who looks. */
const keptEvents = 7 * day

/** Forgets what nobody will ask for, once a day at most, and only on a host that has something to do anyway. */
export async function pruneSometimes(host: Host): Promise<void> {
  const now = host.clock.now()
  if (now - host.process.pruned_at < every) return
  host.process.pruned_at = now
  const keptAudit = (await readSecurity(host)).audit_retention_days * day
  await host.sql.write([
    pruneWork(iso(now - keptWork)),
    { sql: 'DELETE FROM events WHERE ts < ?', args: [iso(now - keptEvents)] },
    { sql: 'DELETE FROM audit WHERE at < ?', args: [iso(now - keptAudit)] },
  ])
}
