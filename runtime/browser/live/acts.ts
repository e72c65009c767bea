import type { ActedEvent } from '../../ports/browser.ts'
import { iso } from '../../time.ts'

/** An act as those who watch are told of it: what was typed into a secret field is left out. */
export function toldAct(event: ActedEvent): Record<string, unknown> {
  const { action, element, tab_id, by_person = false, at, duration_ms, url, failure } = event
  const { text: _, value: __, ...open } = action
  return {
    type: 'act',
    tab_id,
    action: element?.secret ? open : action,
    /** What a person would call the element. */
    target: element?.name ?? element?.label ?? element?.text ?? null,
    by_person,
    at: iso(at),
    duration_ms,
    url,
    failure,
  }
}
