import type { Frame } from 'playwright'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import type { Point } from '../../page-script/geometry.ts'
import { inTime, pause } from '../../time-limit.ts'
import type { PageElement } from '../element.ts'
import { callPage } from '../isolated-world.ts'
import { documentReady, networkIdle } from '../navigation.ts'
import { namesElement } from '../target.ts'
import { viewportPoint } from './mouse.ts'
import { reachable } from './press.ts'
import { type Act, left, type Stage, targetOf } from './stage.ts'

/** A page counts as open once it has a document; the rest of its loading is not awaited. */
const begun = (stage: Stage) => ({ waitUntil: 'commit' as const, timeout: left(stage) })
const opened = (stage: Stage) => documentReady(stage.page, left(stage))

export const goto: Act = async (stage) => {
  const { page, action, allow } = stage
  await page.goto(await allow(action.url ?? ''), begun(stage))
  await opened(stage)
}

const moving =
  (move: 'goBack' | 'goForward', where: string): Act =>
  async (stage) => {
    const before = stage.page.url()
    const response = await stage.page[move](begun(stage))
    await opened(stage)
    const now = stage.page.url()
    // The error page of an earlier navigation may appear at this moment.
    if (response || (now !== before && !now.startsWith('chrome-error:'))) return
    throw new BrowserFailure('navigation_failed', `There is no page to go ${where} to`, 'Use goto with an address')
  }

export const goBack = moving('goBack', 'back')
export const goForward = moving('goForward', 'forward')

export const reload: Act = async (stage) => {
  await stage.page.reload(begun(stage))
  await opened(stage)
}

export const waitForSelector: Act = async (stage) => {
  const hint = 'Take a snapshot to see the page, or allow more time with timeout_ms'
  const element = await targetOf(stage).catch((thrown: unknown) => {
    if (!(thrown instanceof BrowserFailure) || thrown.code !== 'element_not_found') throw thrown
    throw new BrowserFailure('timeout', thrown.message, hint)
  })
  const handle = await element.handle()
  await handle.waitForElementState('visible', { timeout: left(stage) }).catch(({ message }: Error) => {
    if (!/Timeout/.test(message)) throw new Error(message)
    throw new BrowserFailure('timeout', 'The element did not become visible in time', hint)
  })
}

/** Resolves with the next page, or at once if one is being opened. */
export const waitForNavigation: Act = async (stage) => {
  const { page } = stage
  const loading = await callPage(page, 'isLoading').catch(() => true)
  if (loading) return opened(stage)
  const predicate = (frame: Frame) => frame === page.mainFrame()
  await page.waitForEvent('framenavigated', { predicate, timeout: left(stage) }).catch(({ message }: Error) => {
    if (!/Timeout/.test(message)) throw new Error(message)
    throw new BrowserFailure(
      'timeout',
      'No other page opened in time',
      'Take a snapshot: it may have opened already; or allow more time with timeout_ms',
    )
  })
  await opened(stage)
}

export const waitForNetworkIdle: Act = async (stage) => {
  if (await networkIdle(stage.page, left(stage))) return
  throw new BrowserFailure(
    'timeout',
    'The network did not become idle in time',
    'The page may never stop loading; continue, or wait for what you need with wait_for_selector',
  )
}

export const handleDialog: Act = ({ page, action, dialogs }) =>
  dialogs.answer(page, { accept: action.accept, text: action.prompt_text })

const screenful = 600
/** Milliseconds for the wheel to take effect. */
const wheelLimit = 200
/** Milliseconds for the page to render; one in the background never does. */
const renderLimit = 500

/** With the wheel, over the element or point of the act, or else over the middle of the page. */
export const scroll: Act = async (stage) => {
  const { page, action } = stage
  const { delta_x = 0, delta_y = delta_x === 0 ? screenful : 0 } = action
  if (namesElement(action)) return scrollElement(stage, await targetOf(stage), { x: delta_x, y: delta_y })
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  const { x, y } = viewportPoint(page, { x: action.x ?? size.width / 2, y: action.y ?? size.height / 2 })
  await page.mouse.move(x, y)
  await page.mouse.wheel(delta_x, delta_y)
  await inTime(renderLimit, callPage(page, 'nextFrames')).catch(() => undefined)
}

/** An element that ignores the wheel, such as a covered list, is scrolled by script. */
async function scrollElement(stage: Stage, element: PageElement, by: Point): Promise<void> {
  const { page } = stage
  const point = await reachable({ ...stage, until: 0 }, element)
  const box = await element.box()
  if (point && box) {
    const before = await element.ask('scrollPositions')
    await page.mouse.move(box.x + point.x, box.y + point.y)
    await page.mouse.wheel(by.x, by.y)
    if (await hasMoved(element, before)) return
  }
  await element.ask('scroll', by)
}

async function hasMoved(element: PageElement, before: string): Promise<boolean> {
  const until = Date.now() + wheelLimit
  for (;;) {
    if ((await element.ask('scrollPositions')) !== before) return true
    if (Date.now() >= until) return false
    await pause(20)
  }
}

export const scrollToElement: Act = async (stage) => (await targetOf(stage)).ask('scrollIntoView')
