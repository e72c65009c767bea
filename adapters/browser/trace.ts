import type { Action } from '../../runtime/browser/schema.ts'
import type { ElementTrace } from '../../runtime/ports/browser.ts'
import type { Session } from './session.ts'

/** How the element that an act names can be found again; asked before the act, for it may leave the page. */
export async function traceOf(_session: Session, _action: Action): Promise<ElementTrace | null> {
  return null
}
