import type { Page } from 'playwright'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import type { ClickPoint, Point } from '../../page-script/geometry.ts'
import { pause } from '../../time-limit.ts'
import type { PageElement } from '../element.ts'
import { covered } from '../failure.ts'
import { left, type Stage } from './stage.ts'

/** Playwright's option names. */
export interface Press {
  button?: 'left' | 'right'
  clickCount?: 1 | 2
}

type ClickOptions = NonNullable<Parameters<Page['click']>[1]>

const retryEvery = 100
/** Milliseconds to wait for what covers an element to go away. */
const coverLimit = 2_500
/** Milliseconds to wait for an element to stop moving; one that never does is clicked while it moves. */
const stillLimit = 1_500

/** Null if all of the element is covered; undefined if that cannot be determined. */
const clickPoint = (element: PageElement, middle = false): Promise<ClickPoint | null | undefined> =>
  element.ask('clickPoint', middle).catch((thrown: Error) => {
    if (/context|attached|detached|closed|destroyed/i.test(thrown.message)) throw thrown
    return undefined
  })

/** A point of the element that nothing covers, as soon as there is one. */
export async function reachable(
  stage: Stage,
  element: PageElement,
  middle = false,
): Promise<ClickPoint | null | undefined> {
  const until = Math.min(stage.until - retryEvery, Date.now() + coverLimit)
  for (;;) {
    const point = await clickPoint(element, middle)
    if (point !== null || Date.now() >= until) return point
    // A hidden element, or a field whose label is clicked, is not waited for.
    if (!(await element.isVisible()) || (await element.find('visibleLabel'))) return null
    await pause(retryEvery)
  }
}

/**
 * Presses an element with the real mouse where it can be reached. An option of a list is left to the caller. Throws
 * `BrowserFailure` if the element becomes another one before that.
 */
export const pressElement = (stage: Stage, element: PageElement, press: Press = {}): Promise<'pressed' | 'option'> =>
  element.whileSame(() => pressFound(stage, element, press))

async function pressFound(stage: Stage, element: PageElement, press: Press): Promise<'pressed' | 'option'> {
  const [look, point] = await Promise.all([element.ask('look'), clickPoint(element)])
  if (look === 'option') return 'option'
  if (look === 'area') await pressArea(stage, element, press)
  else if (look === 'picture') await pressPicture(stage, element, press)
  else if (look === 'sized' && point) await pressAt(stage, element, press, point)
  else await pressUnready(stage, (look === 'empty' && (await element.find('sizedPart'))) || element, press)
  return 'pressed'
}

/**
 * An element whose style replaces it with an image, often with another image while the pointer is over it.
 * While that loads there is nothing to press: people wait until they see it.
 */
async function pressPicture(stage: Stage, element: PageElement, press: Press): Promise<void> {
  const timeout = Math.min(left(stage), coverLimit)
  const handle = await element.handle()
  await handle.waitForElementState('visible', { timeout }).catch(() => undefined)
  const point = await clickPoint(element)
  if (!point) return pressUnready(stage, element, press)
  await handle.hover({ position: point.position, force: true, timeout }).catch(() => undefined)
  await pressAt(stage, element, press, point)
}

/** Covered for now, hidden, or without a size. */
async function pressUnready(stage: Stage, element: PageElement, press: Press): Promise<void> {
  const point = await reachable(stage, element)
  const visible = await element.isVisible()
  if (point === null && visible) return pressLabel(stage, element, press)
  if (point === null) return pressHidden(stage, element, press)
  if (visible) return pressAt(stage, element, press, point)
  await pressShape(stage, element, press, point)
}

/** A field covered by the image that replaces it is pressed through its label. */
async function pressLabel(stage: Stage, element: PageElement, press: Press): Promise<void> {
  const label = await element.find('visibleLabel')
  if (label) return void (await pressFound(stage, label, press))
  // Playwright names what covers the element.
  await clickOnce(element, { ...press, timeout: Math.min(left(stage), 500) }).catch(({ message }: Error) => {
    if (/TypeError/.test(message)) return pressMiddle(stage, element, press)
    throw /intercepts|Timeout/i.test(message) ? covered() : new Error(message)
  })
}

/** The element's current middle. */
const pressMiddle = (stage: Stage, element: PageElement, press: Press): Promise<void> =>
  pressPoint(stage, element, press, ({ width, height }) => ({ x: width / 2, y: height / 2 }))

/** A point of the element's box; again if the element has moved away from under the pointer, or is covered. */
async function pressPoint(
  stage: Stage,
  element: PageElement,
  press: Press,
  pointIn: (box: { width: number; height: number }) => Point,
): Promise<void> {
  do {
    const box = await element.box()
    if (!box) break
    await element.ask('aimAt')
    const { x, y } = pointIn(box)
    await stage.page.mouse.click(box.x + x, box.y + y, press)
    // A page that is being left has been pressed.
    if ((await element.ask('blockedBy').catch(() => null)) !== 'missed') return
  } while (Date.now() < stage.until)
  throw covered()
}

/** A line in a drawing has no height, so Playwright considers it hidden. */
async function pressShape(stage: Stage, element: PageElement, press: Press, point?: ClickPoint): Promise<void> {
  if (!point || !(await element.box())) return clickOnce(element, { ...press, timeout: 1_000 })
  await pressPoint(stage, element, press, () => point)
}

async function pressHidden(stage: Stage, element: PageElement, press: Press): Promise<void> {
  const label = await element.find('visibleLabel')
  if (label) return void (await pressFound(stage, label, press))
  if (await showsByHover(stage, element)) return void (await pressFound(stage, element, press))
  // Playwright's message says what hides it.
  await clickOnce(element, { ...press, timeout: Math.min(left(stage), 1_000) })
}

/** A menu entry appears while the pointer is over the title of its menu. */
async function showsByHover(stage: Stage, element: PageElement): Promise<boolean> {
  const outer = await element.find('visibleAncestor')
  if (!outer) return false
  const timeout = Math.min(left(stage), coverLimit)
  await (await outer.handle()).hover({ timeout, force: true }).catch(() => undefined)
  const handle = await element.handle()
  const visible = handle.waitForElementState('visible', { timeout: Math.min(left(stage), 700) })
  return visible.then(
    () => true,
    () => false,
  )
}

async function pressAt(stage: Stage, element: PageElement, press: Press, point: ClickPoint | undefined): Promise<void> {
  // Playwright clicks the middle faster than a position.
  const options = { ...press, ...(point && !point.is_middle ? { position: point.position } : {}) }
  const timeout = Math.min(left(stage), stillLimit)
  // A form can have fields with the names of its methods, which can make Playwright fail.
  const orMiddle = (thrown: unknown) => {
    if (!/TypeError/.test((thrown as Error).message)) throw thrown
    return pressMiddle(stage, element, press)
  }
  try {
    await clickOnce(element, { ...options, timeout })
  } catch (thrown) {
    const { message } = thrown as Error
    if (/intercepts pointer/i.test(message)) return clickOnce(element, { ...press, timeout: left(stage) })
    if (/not stable|TypeError/i.test(message)) return pressMiddle(stage, element, press)
    if (!/Timeout/i.test(message) || /not enabled/i.test(message) || left(stage) <= timeout) throw thrown
    await clickOnce(element, { ...options, timeout: left(stage) }).catch(orMiddle)
  }
}

/** A part of an image map: the image is pressed there. */
async function pressArea(stage: Stage, area: PageElement, press: Press): Promise<void> {
  const image = await area.find('imageOf')
  if (!image) throw new BrowserFailure('not_visible', 'The image of this area is not visible', 'Take a new snapshot')
  await (await image.handle()).scrollIntoViewIfNeeded({ timeout: left(stage) })
  const [point, inArea, inImage] = [await clickPoint(area), await area.ask('cornerOf'), await image.ask('cornerOf')]
  if (!point) throw covered()
  const position = { x: inArea.x + point.x - inImage.x, y: inArea.y + point.y - inImage.y }
  await clickOnce(image, { ...press, position, force: true, timeout: left(stage) })
}

/**
 * Playwright's click, at most once. It also waits for the page to handle the click, which may take long: if
 * its time runs out after the mouse button was released, the click has happened, and another try would click
 * twice.
 */
export async function clickOnce(element: PageElement, options: ClickOptions): Promise<void> {
  // By frame and selector; with a handle, Playwright sends 50 % more messages.
  const { frame, selector } = await element.locate('on')
  await frame.click(selector, options).catch((thrown: Error) => {
    if (!wasPressed(thrown.message)) throw thrown
  })
}

/** By the call log in Playwright's message, which lists every try. A covering element swallows the click. */
function wasPressed(message: string): boolean {
  const at = message.lastIndexOf('performing click action')
  return /Timeout/i.test(message) && at >= 0 && !message.slice(at).includes('intercepts pointer')
}
