import type { ElementHandle, Frame, Page } from 'playwright'
import type { Action } from '../../runtime/browser/schema.ts'
import type { ElementTrace } from '../../runtime/ports/browser.ts'
import { ask, askFor, frameOf, rootOf } from './page/apart.ts'
import { type Traced, traceSource } from './page/inside/trace.ts'
import { timeoutOf } from './page/perform.ts'
import { insideSource } from './page/snapshot.ts'
import { findElement, type Naming, namesElement } from './page/target.ts'
import type { Session } from './session.ts'
import { within } from './within.ts'

type Element_ = ElementHandle<Element>

/** Milliseconds for one element to be looked at. */
const lookLimit = 2_000

/** Acts that need what has the focus, where they name nothing. */
const focused = /^(?:type_text|press_key|blur)$/
const pointed = /^(?:click|double_click|right_click|hover|type_text|drag_and_drop|scroll)$/

/**
 * How the element that an act names can be found again; asked before the act, for it may leave the page. Null where the
 * act concerns no element. Throws `BrowserFailure` when it names one that is not there.
 */
export async function traceOf(
  session: Session,
  action: Action,
  reader?: string,
): Promise<ElementTrace | null> {
  const page = await session.page(action.tab_id)
  if (action.action === 'handle_dialog' || session.tabs.dialogs.of(page)) return null
  const element = await elementOf(session, page, { action, reader })
  return element ? describe(element) : null
}

/** The same for the end of a drag. */
export async function traceOfDrop(
  session: Session,
  { to, ...action }: Action,
  reader?: string,
): Promise<ElementTrace | null> {
  return to ? traceOf(session, { ...action, ...bare, ...to } as Action, reader) : null
}

const bare = { selector: undefined, index: undefined, ref: undefined, x: undefined, y: undefined }

interface Sought {
  action: Action
  /** Whose numbers the action means. */
  reader: string | undefined
}

async function elementOf(session: Session, page: Page, { action, reader }: Sought): Promise<Element_ | null> {
  const naming = action as Naming
  const until = Date.now() + timeoutOf(action)
  if (namesElement(naming)) return findElement(page, naming, { view: session.tabs.view(page, reader), until })
  if (pointed.test(action.action) && action.x !== undefined && action.y !== undefined)
    return elementAtPoint(page, action.x, action.y)
  return focused.test(action.action) ? focusedElement(page) : null
}

const used = `${insideSource}\n${traceSource}`

/** What is used when a point of the viewport is pressed, in whatever frame. */
export const elementAtPoint = (page: Page, x: number, y: number): Promise<Element_ | null> =>
  within(lookLimit, atPoint(page.mainFrame(), x, y)).catch(() => null)

async function atPoint(frame: Frame, x: number, y: number): Promise<Element_ | null> {
  const look = `(_, { x, y }) => {\n${used}\nconst found = elementAt(x, y); return found && usedAt(found) }`
  const root = await rootOf(frame)
  const element = root && (await askFor(root, look, { x, y }))
  const inner = await element?.contentFrame()
  if (!element || !inner) return element
  const corner = await ask(element, (node) => {
    const { left, top } = node.getBoundingClientRect()
    return { left: left + node.clientLeft, top: top + node.clientTop }
  })
  return (await atPoint(inner, x - corner.left, y - corner.top)) ?? element
}

/** What has the focus, in whatever frame; null when nothing has. */
export const focusedElement = (page: Page): Promise<Element_ | null> =>
  within(lookLimit, inFocus(page.mainFrame())).catch(() => null)

async function inFocus(frame: Frame): Promise<Element_ | null> {
  const look = () => {
    let found = Reflect.get(Document.prototype, 'activeElement', document) as Element | null
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement
    return found === document.body || found === document.documentElement ? null : found
  }
  const root = await rootOf(frame)
  const element = root && (await askFor(root, look))
  const inner = await element?.contentFrame()
  return inner ? ((await inFocus(inner)) ?? element) : element
}

/** Null when it has left the page. */
export async function describe(element: Element_): Promise<ElementTrace | null> {
  const look = ask<Traced>(element, `(node) => {\n${used}\nreturn whileStill(() => traceElement(node)) }`)
  const traced = await within(lookLimit, look).catch(() => null)
  if (!traced) return null
  const frame = await frameOf(element)
  return { ...traced, frames: frame ? pathOf(frame) : [] }
}

function pathOf(frame: Frame): string[] {
  const parent = frame.parentFrame()
  if (!parent) return []
  return [...pathOf(parent), frame.name() || frame.url().replace(/[?#].*/s, '')]
}
