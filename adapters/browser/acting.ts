import type { Page } from 'playwright'
import type { Action, Tab } from '../../runtime/browser/schema.ts'
import {
  type Acted,
  type ActedEvent,
  type ActOptions,
  BrowserFailure,
  type ElementTrace,
} from '../../runtime/ports/browser.ts'
import { findTraced } from './find.ts'
import { timeoutOf } from './page/perform.ts'
import type { Session } from './session.ts'
import { traceOf, traceOfDrop } from './trace.ts'

export type ActListener = (event: ActedEvent) => void

interface Aimed {
  /** As it is done. */
  action: Action
  element: ElementTrace | null
  drop: ElementTrace | null
  locator_used?: string
  forget(): Promise<void>
}

/** Does an act and tells the listeners of it, however it ended. */
export async function act(
  session: Session,
  { action, ...options }: ActOptions & { action: Action },
  listeners: ReadonlySet<ActListener>,
): Promise<Acted> {
  const page = await session.page(action.tab_id)
  const tab_id = session.tabs.idOf(page) ?? ''
  const at = Date.now()
  let aimed: Aimed = { action, element: null, drop: null, forget: async () => undefined }
  const tell = (ended: Pick<ActedEvent, 'url' | 'failure'>) => {
    const { element, drop } = aimed
    const event = { tab_id, action, element, drop, at, duration_ms: Date.now() - at, ...ended }
    for (const listener of listeners) listener(event)
  }
  try {
    if (options.element) aimed = await aim(session, page, { action, ...options })
    else if (listeners.size > 0) aimed = { ...aimed, ...(await tracesOf(session, action, options.reader)) }
    const { url, title } = await session.act(aimed.action, options)
    tell({ url, failure: null })
    return { url, title, ...(aimed.locator_used ? { locator_used: aimed.locator_used } : {}) }
  } catch (thrown) {
    if (thrown instanceof BrowserFailure) tell({ url: null, failure: thrown.code })
    throw thrown
  } finally {
    await aimed.forget()
  }
}

async function tracesOf(
  session: Session,
  action: Action,
  reader: string | undefined,
): Promise<Pick<Aimed, 'element' | 'drop'>> {
  const element = await traceOf(session, action, reader)
  return { element, drop: await traceOfDrop(session, action, reader) }
}

/** Names the element that its trace leads to. */
async function aim(
  session: Session,
  page: Page,
  { action, element, drop, signal }: ActOptions & { action: Action },
): Promise<Aimed> {
  if (!element) throw new TypeError('There is no trace')
  session.tabs.dialogs.refuseWhileOpen(page)
  const until = Date.now() + timeoutOf(action)
  const found = await findTraced(page, element, { until, signal })
  const end = drop && (await findTraced(page, drop, { until, signal }))
  const { index: _, ref: __, x: ___, y: ____, to, ...rest } = action
  const target = end ? { to: { selector: end.selector } } : to ? { to } : {}
  return {
    action: { ...rest, ...target, selector: found.selector },
    element,
    drop: drop ?? null,
    locator_used: found.locator,
    async forget() {
      await Promise.all([found.forget(), end?.forget()])
    },
  }
}

/** Opens a tab; one whose page cannot be opened is closed again. */
export async function openTab(
  session: Session,
  { url, activate = true }: { url?: string; activate?: boolean },
): Promise<Tab> {
  const before = session.tabs.active
  if (url !== undefined) await session.allow(url)
  const page = await session.open()
  const tab_id = session.tabs.idOf(page) ?? ''
  if (!activate && before) session.tabs.activate(before)
  try {
    if (url !== undefined) await session.act({ action: 'goto', url, tab_id })
  } catch (thrown) {
    await page.close()
    throw thrown
  }
  return session.tabs.describe(page)
}

export async function closeTab(session: Session, id: string): Promise<boolean> {
  const page = session.tabs.find(id)
  if (!page) return false
  await page.close()
  return true
}

export async function activateTab(session: Session, id: string): Promise<Tab | null> {
  const page = session.tabs.find(id)
  if (!page) return null
  session.tabs.activate(page)
  if (!session.tabs.dialogs.of(page)) await page.bringToFront()
  return session.tabs.describe(page)
}
