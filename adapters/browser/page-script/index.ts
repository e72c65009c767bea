/**
 * The script that runs in each document of a page, in an isolated world: it shares the document with the
 * page's own scripts and none of their objects, so a page can neither observe nor fake its answers. It only
 * changes the page where an act asks for it. Bundled by `isolated-world.ts`.
 */

import * as acts from './acts.ts'
import { clickPoint } from './geometry.ts'
import { identify, type Listing, list } from './listing.ts'
import { aimAt, blockedBy, endGuard, guardPress } from './press-guard.ts'
import { elementOf, idOf, listen, listenAgain, takeReceived } from './registry.ts'
import { match, trace } from './trace.ts'
import { dropFiles, uploadTarget } from './upload.ts'

const script = {
  ...acts,
  aimAt,
  blockedBy,
  clickPoint,
  dropFiles,
  endGuard,
  guardPress,
  identify,
  listElements,
  match,
  root: () => document.documentElement,
  takeReceived,
  trace,
  uploadTarget,
}
export type PageScript = typeof script

/**
 * Calls a function of the script, with the element of this id unless that is null. Elements are returned as
 * ids. Null if the element has left the document.
 */
export async function call(
  id: number | null,
  name: keyof PageScript,
  argument: unknown,
): Promise<{ value: unknown } | null> {
  listenAgain()
  const element = id === null ? null : elementOf(id)
  if (id !== null && !element) return null
  const run = script[name] as (...args: unknown[]) => unknown
  const value = await (element ? run(element, argument) : run(argument))
  return { value: value instanceof Element ? idOf(value) : (value ?? null) }
}

/** The reports of the listener probe. */
let reported: { used: Set<Element>; hovered: Set<Element> } | null = null
let stopHearing: (() => void) | null = null

/**
 * Begins to collect what the listener probe reports, in the world of the page, right before `listElements`.
 */
export function hear(secret: string): void {
  stopHearing?.()
  const heard = { used: new Set<Element>(), hovered: new Set<Element>() }
  const noteUse = (event: Event) => void heard.used.add(event.composedPath()[0] as Element)
  const noteHover = (event: Event) => void heard.hovered.add(event.composedPath()[0] as Element)
  addEventListener(`${secret}u`, noteUse, true)
  addEventListener(`${secret}h`, noteHover, true)
  reported = heard
  stopHearing = () => {
    removeEventListener(`${secret}u`, noteUse, true)
    removeEventListener(`${secret}h`, noteHover, true)
  }
}

function listElements(): Listing {
  stopHearing?.()
  const listeners = reported ?? { used: new Set<Element>(), hovered: new Set<Element>() }
  reported = null
  return list(listeners)
}

export { elementOf, listen }
