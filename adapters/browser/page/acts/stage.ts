import type { Page } from 'playwright'
import type { Action } from '../../../../runtime/tabs/schema.ts'
import type { Identity } from '../../page-script/identity.ts'
import type { Dialogs } from '../dialogs.ts'
import type { PageElement } from '../element.ts'
import type { PageView } from '../snapshot.ts'
import { findElement } from '../target.ts'

/** The context of an act. */
export interface Stage {
  page: Page
  action: Action
  /** What the selector's element was when the caller found it. */
  identity?: Identity | undefined
  /** The snapshot that numbers refer to; null if none was taken. */
  view: PageView | null
  dialogs: Dialogs
  /** Milliseconds since the epoch at which the act is given up. */
  until: number
  /** Returns the address to open. Throws `BrowserFailure` for one that must not be opened. */
  allow(url: string): Promise<string>
}

export type Act = (stage: Stage) => Promise<void>

/** The remaining milliseconds, but at least enough for Playwright to report a reason. */
export const left = ({ until }: Stage): number => Math.max(until - Date.now(), 50)

export const targetOf = (stage: Stage): Promise<PageElement> => findElement(stage.page, stage.action, stage)
