import type { StoredAlert } from './alert-schema.ts'

/** What a check of the condition does to an alert. */
export interface Step {
  alert: StoredAlert
  /** Sent with an event and delivered. */
  sends: 'fired' | 'resolved' | null
  /** Entry of the history without an event. */
  noted: 'snooze_ended' | null
}

/**
 * The alert after a check at `now`, or null if nothing changes. It fires once, and again only after its condition was
 * false or its snooze has ended. `lasted`: the condition is true, and was so for long enough.
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
    // It waits for its period, or for its condition.
    return { alert: { ...awake, armed: true }, sends: null, noted: 'snooze_ended' }
  }
  const firing = hasFired(alert)
  if (firing && !holds)
    return { alert: { ...alert, state: 'ok', armed: true }, sends: 'resolved', noted: null }
  if (!firing && lasted && alert.armed) return fire(alert, now)
  if (!holds && !alert.armed) return { alert: { ...alert, armed: true }, sends: null, noted: null }
  return null
}

/** Receivers know it as firing. */
export const hasFired = ({ state, armed }: StoredAlert): boolean =>
  state === 'firing' || state === 'acknowledged' || (state === 'snoozed' && !armed)

const fire = (alert: StoredAlert, now: string): Step => ({
  alert: { ...alert, state: 'firing', armed: false, last_triggered: now },
  sends: 'fired',
  noted: null,
})
