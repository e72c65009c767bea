import type { Frame, Page } from 'playwright'
import { BrowserFailure, type ElementTrace, type TabUser } from '../../runtime/ports/browser.ts'
import type { Action } from '../../runtime/tabs/schema.ts'
import type { PageElement } from './page/element.ts'
import { callDocument, selectorFor, type World, worldsOf } from './page/isolated-world.ts'
import { timeoutOf } from './page/perform.ts'
import { elementAtPoint, findElement, focusedElement, namesElement } from './page/target.ts'
import type { Identity } from './page-script/identity.ts'
import type { Locator, Matches } from './page-script/trace.ts'
import type { Session } from './session.ts'
import { inTime, pause } from './time-limit.ts'

/** Milliseconds to look at one element. */
const lookLimit = 2_000

/** Acts that apply to the element with the focus, if they name none. */
const onFocus = /^(?:type_text|press_key|blur)$/
const atPoint = /^(?:click|double_click|right_click|hover|type_text|drag_and_drop|scroll)$/

/**
 * The trace of an act's element, and of the element where a drag ends; taken before the act,
 * which may remove it. Null if the act concerns none. Throws `BrowserFailure` if a named element does not
 * exist.
 */
export async function tracesOf(
  session: Session,
  action: Action,
  user: TabUser | undefined,
): Promise<{ element: ElementTrace | null; drop: ElementTrace | null }> {
  const { to, ...start } = action
  const bare = { selector: undefined, index: undefined, ref: undefined, x: undefined, y: undefined }
  const element = await traceOf(session, start, user)
  const drop = to ? await traceOf(session, { ...start, ...bare, ...to } as Action, user) : null
  return { element, drop }
}

async function traceOf(session: Session, action: Action, user: TabUser | undefined): Promise<ElementTrace | null> {
  const page = await session.page(action.tab_id, user)
  if (action.action === 'handle_dialog' || session.tabs.dialogs.of(page)) return null
  const view = session.tabs.view(page, user)
  const element = await elementOf(page, action, () =>
    findElement(page, action, { view, until: Date.now() + timeoutOf(action) }),
  )
  return element && describeElement(element)
}

async function elementOf(page: Page, action: Action, find: () => Promise<PageElement>): Promise<PageElement | null> {
  if (namesElement(action)) return find()
  const { x, y } = action
  if (atPoint.test(action.action) && x !== undefined && y !== undefined) return elementAtPoint(page, { x, y })
  return onFocus.test(action.action) ? focusedElement(page) : null
}

/** Null if the element has left the page. */
export async function describeElement(element: PageElement): Promise<ElementTrace | null> {
  const traced = await inTime(lookLimit, element.ask('trace')).catch(() => null)
  if (!traced) return null
  const located = await element.locate().catch(() => null)
  return { ...traced, frames: located ? pathOf(located.frame) : [] }
}

function pathOf(frame: Frame): string[] {
  const parent = frame.parentFrame()
  if (!parent) return []
  return [...pathOf(parent), frame.name() || frame.url().replace(/[?#].*/s, '')]
}

interface Target {
  /** For Playwright. */
  selector: string
  /** What the element was when it was found. */
  identity: Identity
  /** The locator that found it, for people. */
  locator: string
}

/** The best first. */
const locators: readonly Locator[] = ['role_name', 'label', 'test_id', 'text', 'loose', 'css']
/** Those that can be trusted while a page may still be loading. */
const reliable: readonly Locator[] = ['role_name', 'label', 'test_id']
/** Milliseconds before a less reliable locator, or one of several elements, is used. */
const patience = 1_200
const retryEvery = 100
const frameLimit = 3_000

/** Finds an element by its trace, in any frame, until the time `until`. Throws `BrowserFailure`. */
export async function findTraced(
  page: Page,
  trace: ElementTrace,
  { until, signal }: { until: number; signal?: AbortSignal | undefined },
): Promise<Target> {
  const begun = Date.now()
  for (;;) {
    signal?.throwIfAborted()
    const { candidates, other_rows } = await candidatesFor(page, trace)
    const settled = Date.now() - begun >= patience || Date.now() >= until
    const chosen = choose(candidates, trace, settled)
    if (chosen) return chosen
    if (Date.now() >= until) throw notFound(trace, other_rows)
    await pause(retryEvery)
  }
}

interface Candidate {
  world: World
  id: number
  identity: Identity
}

type Candidates = Map<Locator, Candidate[]>

async function candidatesFor(
  page: Page,
  trace: ElementTrace,
): Promise<{ candidates: Candidates; other_rows: string[] }> {
  const worlds = [...((await inTime(frameLimit, worldsOf(page)))?.all.values() ?? [])]
  const complete = { row: null, nth: 0, secret: false, ...trace, role: trace.role ?? '' }
  const matches = await Promise.all(
    worlds.map((world) =>
      inTime(frameLimit, callDocument(world, 'match', complete) as Promise<Matches>).catch(() => null),
    ),
  )
  const candidates: Candidates = new Map()
  for (const locator of locators) {
    const matching = worlds.flatMap((world, at) =>
      (matches[at]?.candidates[locator] ?? []).map((one) => ({ world, ...one })),
    )
    if (matching.length > 0) candidates.set(locator, matching)
  }
  return { candidates, other_rows: matches.flatMap((match) => match?.other_rows ?? []) }
}

/**
 * The element of the best locator that finds exactly one; once the page has settled, also the one at the
 * recorded place among several.
 */
function choose(candidates: Candidates, trace: ElementTrace, settled: boolean): Target | null {
  const targetAt = (locator: Locator, { world, id, identity }: Candidate): Target => ({
    selector: selectorFor('get', world, id),
    identity,
    locator: describeLocator(locator, trace),
  })
  for (const locator of settled ? locators : reliable) {
    const [first, ...more] = candidates.get(locator) ?? []
    if (first && more.length === 0) return targetAt(locator, first)
  }
  const locator = settled ? locators.find((one) => candidates.has(one)) : undefined
  const same = locator && candidates.get(locator)?.[trace.nth ?? 0]
  return locator && same ? targetAt(locator, same) : null
}

function describeLocator(locator: Locator, { role, name, label, test_id, text, css }: ElementTrace): string {
  const quoted = (value: string | null) => JSON.stringify(value ?? '')
  const described: Record<Locator, string> = {
    role_name: `role=${role}[name=${quoted(name)}]`,
    label: `label=${quoted(label)}`,
    test_id: `test_id=${quoted(test_id)}`,
    text: `text=${quoted(text)}`,
    loose: `role=${role}[name~=${quoted(name)}]`,
    css: `css=${css}`,
  }
  return described[locator]
}

function notFound({ role, name, css, row }: ElementTrace, other_rows: readonly string[]): BrowserFailure {
  const what = name === null ? css : `${JSON.stringify(name.slice(0, 60))} (${role})`
  const where = row ? ` in the row ${JSON.stringify(row.slice(0, 80))}` : ''
  const others = other_rows.map((other) => JSON.stringify(other.slice(0, 80)))
  const instead = others.length > 0 ? `, but in ${others.join(', ')}` : ''
  return new BrowserFailure(
    'element_not_found',
    `The page has no ${what}${where}${instead}`,
    'The page may have changed too much for the recording: take a snapshot, or record it again',
  )
}
