import type { Action, Tab } from '../../runtime/browser/schema.ts'
import { type ActedEvent, BrowserFailure } from '../../runtime/ports/browser.ts'
import type { Session } from './session.ts'
import { traceOf } from './trace.ts'

export type ActListener = (event: ActedEvent) => void

/** Does an act and tells the listeners of it, however it ended. */
export async function act(
  session: Session,
  { action, signal }: { action: Action; signal?: AbortSignal | undefined },
  listeners: ReadonlySet<ActListener>,
): Promise<{ url: string; title: string }> {
  const page = await session.page(action.tab_id)
  const tab_id = session.tabs.idOf(page) ?? ''
  const element = listeners.size > 0 ? await traceOf(session, action) : null
  const at = Date.now()
  const tell = (ended: Pick<ActedEvent, 'url' | 'failure'>) => {
    const event = { tab_id, action, element, at, duration_ms: Date.now() - at, ...ended }
    for (const listener of listeners) listener(event)
  }
  try {
    const { url, title } = await session.act(action, signal)
    tell({ url, failure: null })
    return { url, title }
  } catch (thrown) {
    if (thrown instanceof BrowserFailure) tell({ url: null, failure: thrown.code })
    throw thrown
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
