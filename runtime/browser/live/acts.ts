import type { ActedEvent } from '../../ports/browser.ts'
import { iso } from '../../time.ts'
import type { ToldAct } from './messages.ts'

/** What was typed into a secret field is left out. */
export function toldAct(event: ActedEvent): ToldAct {
  const { action, element, tab_id, by_person = false, at, duration_ms, url, failure } = event
  const { text: _, value: __, ...open } = action
  return {
    tab_id,
    action: element?.secret ? open : action,
    target: element?.name ?? element?.label ?? element?.text ?? null,
    by_person,
    at: iso(at),
    duration_ms,
    url,
    failure,
  }
}
