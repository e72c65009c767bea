import type { StoredAlert } from './alert-schema.ts'

/** The effect of a check on an alert. */
export interface Step {
  alert: StoredAlert
  /** Emitted as an event and delivered. */
  sends: 'fired' | 'resolved' | null
  /** History entry without an event. */
  noted: 'snooze_ended' | null
}

/**
 * The alert after a check at `now`, or null if nothing changes. It fires once, and again only after its condition was
 * false or its snooze ended. `lasted`: the condition has been true for the required period.
 */
export function checked(
  alert: StoredAlert,
  { holds, lasted, now }: { holds: boolean; lasted: boolean; now: string },
): Step | null {
  if (alert.state === 'snoozed') {
    if ((alert.snoozed_until ?? '') > now) return null
    const awake: StoredAlert = { ...alert, state: 'ok', snoozed_until: null }
    if (lasted) return fire(awake, now)
    if (!holds && hasFired(alert)) return { alert: { ...awake, armed: true }, sends: 'resolved', noted: null }
    // The period has not passed, or the condition is false.
    return { alert: { ...awake, armed: true }, sends: null, noted: 'snooze_ended' }
  }
  const firing = hasFired(alert)
  if (firing && !holds) return { alert: { ...alert, state: 'ok', armed: true }, sends: 'resolved', noted: null }
  if (!firing && lasted && alert.armed) return fire(alert, now)
  if (!holds && !alert.armed) return { alert: { ...alert, armed: true }, sends: null, noted: null }
  return null
}

/** Whether receivers were notified that it is firing. */
export const hasFired = ({ state, armed }: StoredAlert): boolean =>
  state === 'firing' || state === 'acknowledged' || (state === 'snoozed' && !armed)

const fire = (alert: StoredAlert, now: string): Step => ({
  alert: { ...alert, state: 'firing', armed: false, last_triggered: now },
  sends: 'fired',
  noted: null,
})
