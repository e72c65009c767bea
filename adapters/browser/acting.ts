import type { Page } from 'playwright'
import {
  type Acted,
  type ActedEvent,
  type ActOptions,
  BrowserFailure,
  type ElementTrace,
  type TabUser,
} from '../../runtime/ports/browser.ts'
import { lineBody } from '../../runtime/tabs/lines.ts'
import type { Action, Tab } from '../../runtime/tabs/schema.ts'
import { timeoutOf } from './page/perform.ts'
import type { Identity } from './page-script/identity.ts'
import type { Session } from './session.ts'
import { holderOf } from './tabs.ts'
import { findTraced, tracesOf } from './traces.ts'

export type ActListener = (event: ActedEvent) => void

interface Aimed {
  /** The act, resolved for performing. */
  action: Action
  element: ElementTrace | null
  drop: ElementTrace | null
  /** What the element of a trace was when it was found. */
  identity?: Identity
  locator_used?: string
}

/** Performs an act and reports it to the listeners, also if it failed. */
export async function act(
  session: Session,
  { action, user, ...options }: ActOptions & { action: Action; user: TabUser | undefined },
  listeners: ReadonlySet<ActListener>,
): Promise<Acted> {
  const page = await session.page(action.tab_id, user)
  const tab_id = session.tabs.idOf(page) ?? ''
  const at = Date.now()
  let aimed: Aimed = { action, element: null, drop: null }
  const report = (ended: Pick<ActedEvent, 'url' | 'failure'>) => {
    const { element, drop } = aimed
    const event = {
      tab_id,
      holder: holderOf(page),
      action,
      element,
      drop,
      at,
      duration_ms: Date.now() - at,
      ...ended,
    }
    for (const listener of listeners) listener(event)
  }
  try {
    if (options.element) aimed = await aim(session, page, action, { ...options, element: options.element })
    else if (listeners.size > 0) aimed = { action, ...(await tracesOf(session, action, user)) }
    const {
      page: resultPage,
      url,
      title,
    } = await session.act(aimed.action, { ...options, identity: aimed.identity }, user)
    report({ url, failure: null })
    const dialog = session.tabs.dialogs.of(resultPage)
    return {
      url,
      title,
      ...(dialog ? { dialog } : {}),
      ...(aimed.locator_used ? { locator_used: aimed.locator_used } : {}),
    }
  } catch (thrown) {
    if (thrown instanceof BrowserFailure) report({ url: null, failure: thrown.code })
    throw thrown
  }
}

/** Milliseconds to find what an act would apply to. */
const targetLimit = 1_000

/** For a number the line that the user was shown, as the act is refused if it means something else now. */
export async function targetOf(
  session: Session,
  action: Action,
  user: TabUser | undefined,
): Promise<{ element: string | null; url: string } | null> {
  const { tabs } = session
  const page = action.tab_id === undefined ? tabs.active(user) : tabs.find(action.tab_id, user)
  if (!page) return null
  const url = page.url()
  if (action.index !== undefined) {
    const element = tabs.view(page, user)?.listedAs(action.index)
    return { element: element ? lineBody(element) : null, url }
  }
  const quick = { ...action, timeout_ms: targetLimit }
  const { element } = await tracesOf(session, quick, user).catch(() => ({ element: null }))
  const name = element?.name ?? element?.label ?? element?.text
  if (!element || !name) return { element: null, url }
  const states = element.row ? [`in ${JSON.stringify(element.row)}`] : []
  return { element: lineBody({ label: name, kind: element.role ?? 'element', states }), url }
}

/** The act with the elements that its traces lead to. */
async function aim(
  session: Session,
  page: Page,
  action: Action,
  { element, drop, signal }: ActOptions & { element: ElementTrace },
): Promise<Aimed> {
  session.tabs.dialogs.refuseWhileOpen(page)
  const until = Date.now() + timeoutOf(action)
  const match = await findTraced(page, element, { until, signal })
  const end = drop && (await findTraced(page, drop, { until, signal }))
  const { index: _, ref: __, x: ___, y: ____, to, ...rest } = action
  const target = end ? { to: { selector: end.selector } } : to ? { to } : {}
  const aimed = { ...rest, ...target, selector: match.selector }
  return { action: aimed, element, drop: drop ?? null, identity: match.identity, locator_used: match.locator }
}

/** Opens a tab, and closes it again if its page cannot be opened. */
export async function openTab(
  session: Session,
  { url, activate = true }: { url?: string; activate?: boolean },
  user?: TabUser,
): Promise<Tab> {
  const before = session.tabs.active(user)
  if (url !== undefined) await session.allow(url)
  const page = await session.open(user)
  const tab_id = session.tabs.idOf(page) ?? ''
  if (!activate && before) session.tabs.activate(before, user)
  try {
    if (url !== undefined) await session.act({ action: 'goto', url, tab_id }, {}, user)
  } catch (thrown) {
    await page.close()
    throw thrown
  }
  return session.tabs.describe(page, user)
}

export async function closeTab(session: Session, id: string, user?: TabUser): Promise<boolean> {
  const page = session.tabs.find(id, user)
  await page?.close()
  return page !== null
}

export async function activateTab(session: Session, id: string, user?: TabUser): Promise<Tab | null> {
  const page = session.tabs.find(id, user)
  if (!page) return null
  session.tabs.activate(page, user)
  if (!session.tabs.dialogs.of(page)) await page.bringToFront()
  return session.tabs.describe(page, user)
}
