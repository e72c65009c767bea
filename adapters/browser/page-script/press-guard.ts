/**
 * Blocks a press on anything but what the caller was shown. The mouse takes about 50 ms to reach an element; meanwhile,
 * a page may render another row into that element, or move another one under the pointer.
 */

import { type Identity, isSame } from './identity.ts'
import { identify } from './listing.ts'

interface Guard {
  named: Element
  /** What the named element was before the press. */
  before: Identity
  /** What it was, including what the press itself has changed in it. */
  identity: Identity
  /** The only element that may be pressed; null if the caller checks that. */
  target: Element | null
  /** What the named element became before it was pressed. */
  changed: Identity | null
  missed: boolean
  /** The page got the last event of the press, and `acceptChanges` has not seen it. */
  pending: boolean
}

let guard: Guard | null = null

/** What the handlers of these events change in the named element belongs to the press. */
const accepted = ['pointerdown', 'mousedown', 'click', 'auxclick', 'contextmenu']
/**
 * A page may act at the release too, so the element must still be the same. What a handler changes now would be what the
 * click means, so the click is blocked.
 */
const released = ['pointerup', 'mouseup']
const others = ['dblclick', 'dragstart']

/** Guards the next press. Returns what the element is now if that is not what the caller was shown. */
export function guardPress(named: Element, listed: Identity | null): Identity | null {
  const now = identify(named)
  if (listed && !isSame(listed, now)) return now
  guard = { named, before: now, identity: now, target: null, changed: null, missed: false, pending: false }
  // Idempotent, and repeated because `document.open()` removes every listener.
  for (const type of [...accepted, ...released, ...others]) addEventListener(type, check, true)
  for (const type of accepted) addEventListener(type, acceptChanges)
  return null
}

/** Limits the next press to an element. */
export function aimAt(target: Element): void {
  if (guard) Object.assign(guard, { target, missed: false, pending: false })
}

/** Why the press since `aimAt` was blocked; null if it was not. */
export function blockedBy(): 'changed' | 'missed' | null {
  if (guard?.changed) return 'changed'
  return guard?.missed ? 'missed' : null
}

/** Ends the guard. Returns what the element had become if its press was blocked. */
export function endGuard(): Identity | null {
  const changed = guard?.changed ?? null
  guard = null
  return changed
}

function check(event: Event): void {
  if (!guard || !event.isTrusted) return
  // A handler stopped the propagation of the event before: what it has changed belongs to the press.
  if (guard.pending) acceptChanges(event)
  const { named, before, identity, target } = guard
  const isChecked = accepted.includes(event.type) || released.includes(event.type)
  if (/down$/.test(event.type) && target && !event.composedPath().includes(target)) guard.missed = true
  // A handler of this press may have removed the element.
  if (!guard.changed && !guard.missed && isChecked && named.isConnected) {
    const now = identify(named)
    if (!isSame(identity, now) && !isSame(before, now)) guard.changed = now
  }
  if (!guard.changed && !guard.missed) {
    guard.pending = accepted.includes(event.type)
    return
  }
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** The last listener of an event: what its handlers have changed belongs to the press. */
function acceptChanges(event: Event): void {
  if (!guard || !event.isTrusted) return
  guard.pending = false
  if (guard.named.isConnected) guard.identity = identify(guard.named)
}
