import type { Page } from 'playwright'
import type { Action, ActionName } from '../../../../runtime/browser/schema.ts'
import type { Dialogs } from '../dialogs.ts'
import type { PageView } from '../snapshot.ts'
import { type Element_, findElement } from '../target.ts'

/** What an act is done with. */
export interface Stage {
  page: Page
  action: Action
  /** The snapshot that numbers refer to; null when none was taken. */
  view: PageView | null
  dialogs: Dialogs
  /** Milliseconds since the epoch when the act is given up. */
  until: number
  /** Rejects with a `BrowserFailure` for an address that must not be opened; returns it as it is opened. */
  allow(url: string): Promise<string>
}

export type Act = (stage: Stage) => Promise<void>

/** Milliseconds, unless the act says otherwise. */
export const usualTimeouts: Partial<Record<ActionName, number>> = {
  goto: 30_000,
  reload: 30_000,
  go_back: 15_000,
  go_forward: 15_000,
  wait_for_selector: 15_000,
  wait_for_navigation: 15_000,
  wait_for_network_idle: 10_000,
}
export const usualTimeout = 5_000

/** Milliseconds that are left; at least a little, so that the driver says why and not only when. */
export const left = ({ until }: Stage): number => Math.max(until - Date.now(), 50)

/** The element that the act names. */
export const targetOf = (stage: Stage): Promise<Element_> => findElement(stage.page, stage.action, stage)
