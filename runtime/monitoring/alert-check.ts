import { commit } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso, minute } from '../time.ts'
import { evaluateCondition, type Verdict } from './alert-condition.ts'
import type { StoredAlert } from './alert-schema.ts'
import { alertChanged, sendAlert, watched } from './alert-send.ts'
import { checked, type Step } from './alert-states.ts'
import { insertEntry } from './alert-store.ts'
import { alerts } from './alerts.ts'

/** Checks the conditions of all enabled alerts now. */
export async function checkAlerts(host: Host): Promise<void> {
  for (const alert of await alerts.table.list(host, 'id', { enabled: true })) await checkAlert(host, alert)
}

async function checkAlert(host: Host, alert: StoredAlert): Promise<void> {
  try {
    const verdict = await evaluateCondition(host, alert)
    watched(host).values.set(alert.id, verdict.value)
    const step = stepOf(host, alert, verdict)
    if (step) await take(host, alert, step, verdict.value)
  } catch (thrown) {
    // Another daemon or a person changed the alert first; the next check sees the result.
    if (thrown instanceof GuardFailed) return
    await noteError(host, alert, thrown)
  }
}

function stepOf(host: Host, alert: StoredAlert, { holds, lasting }: Verdict): Step | null {
  const now = host.clock.now()
  const { true_since } = watched(host)
  if (!holds) true_since.delete(alert.id)
  else if (!true_since.has(alert.id)) true_since.set(alert.id, now)
  const since = true_since.get(alert.id) ?? now
  // The first check that is true counts as the first minute.
  const lasted = holds && (!lasting || now - since >= (alert.period_minutes - 1) * minute)
  const step = checked(alert, { holds, lasted, now: iso(now) })
  if (alert.error === null) return step
  return {
    ...(step ?? { alert, sends: null, noted: null }),
    alert: { ...(step?.alert ?? alert), error: null },
  }
}

async function take(host: Host, old: StoredAlert, { alert, sends, noted }: Step, value: number): Promise<void> {
  const statements = [alerts.updateStatement(old, alert)]
  if (noted) statements.push(insertEntry(host, alert.id, { event: noted, value }))
  if (!sends) return void (await commit(host, statements, [alertChanged(alert.id)]))
  const { statements: sent, events } = sendAlert(host, alert, { what: sends, value, by: null })
  await commit(host, [...statements, ...sent], events)
  host.process.wake()
}

/** Records that an alert cannot be computed, once per error; its state does not change. */
async function noteError(host: Host, alert: StoredAlert, thrown: unknown): Promise<void> {
  const error = thrown instanceof Error ? thrown.message : String(thrown)
  watched(host).values.delete(alert.id)
  if (alert.error === error) return
  host.log.write('warn', 'cannot compute an alert', { alert: alert.id, cause: error })
  try {
    await commit(
      host,
      [
        alerts.updateStatement(alert, { ...alert, error }),
        insertEntry(host, alert.id, { event: 'error', note: error }),
      ],
      [alertChanged(alert.id)],
    )
  } catch (cause) {
    if (!(cause instanceof GuardFailed)) host.log.write('warn', 'cannot store an error', { cause })
  }
}
