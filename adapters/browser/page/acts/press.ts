import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask, askFor } from '../apart.ts'
import { type Element_, type Point, pointOf } from '../target.ts'
import { left, type Stage } from './act.ts'
import { clickOnce } from './once.ts'

export interface Press {
  button?: 'left' | 'right'
  times?: 1 | 2
}

const pause = 100
/** Milliseconds that what covers an element may take to go. */
const patience = 2_500
/** Milliseconds for an element to come to rest; one that never does is caught as it moves. */
const restLimit = 1_500

/** A point of the element that nothing covers, as soon as there is one. */
export async function reachable(
  stage: Stage,
  element: Element_,
  middle = false,
): Promise<Point | null | undefined> {
  const until = Math.min(stage.until - pause, Date.now() + patience)
  for (;;) {
    const point = await pointOf(element, middle)
    if (point !== null || Date.now() >= until) return point
    // A hidden thing, or a box that only stands in for its label, is not waited for.
    if (!(await element.isVisible()) || (await labelOf(element))) return null
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

export const covered = () =>
  new BrowserFailure(
    'obscured',
    'Something else lies over the element',
    'Close or move what covers it (a banner, a menu), or scroll, and take a new snapshot',
  )

/** What is really pressed: the picture of an image map, the first thing with a size in a wrapper without one. */
async function bodyOf(element: Element_): Promise<Element_> {
  const body = await askFor(
    element,
    `(node) => {
      const sized = (one) => {
        const { width, height } = one.getBoundingClientRect()
        return width > 0 && height > 0
      }
      if (sized(node) || node instanceof HTMLInputElement || node instanceof SVGElement) return node
      return [...node.querySelectorAll('*')].slice(0, 50).find(sized) ?? node
    }`,
  )
  return body ?? element
}

/** A hidden box whose label is what people see: they click the label. */
const labelOf = (element: Element_): Promise<Element_ | null> =>
  askFor(
    element,
    '(node) => [...(node.labels ?? [])].find((one) => one.checkVisibility({ visibilityProperty: true }))',
  )

/** The nearest thing around a hidden element that is seen: a menu opens when the pointer is over its title. */
async function showsByHover(stage: Stage, element: Element_): Promise<boolean> {
  const outer = await askFor(
    element,
    `(node) => {
      let outer = node.parentElement
      while (outer && !outer.checkVisibility({ visibilityProperty: true })) outer = outer.parentElement
      return outer && outer !== document.body && outer !== document.documentElement ? outer : null
    }`,
  )
  if (!outer) return false
  await outer.hover({ timeout: Math.min(left(stage), patience), force: true }).catch(() => undefined)
  const shown = element.waitForElementState('visible', { timeout: Math.min(left(stage), 700) })
  return shown.then(
    () => true,
    () => false,
  )
}

/** What can be told of an element at one look. */
type Look = 'area' | 'option' | 'picture' | 'sized' | 'empty'

const lookAt = (element: Element_): Promise<Look> =>
  ask<Look>(
    element,
    `(node) => {
      if (node instanceof HTMLAreaElement) return 'area'
      if (node instanceof HTMLOptionElement) return 'option'
      if (getComputedStyle(node).content.startsWith('url(')) return 'picture'
      const { width, height } = node.getBoundingClientRect()
      return width > 0 && height > 0 ? 'sized' : 'empty'
    }`,
  )

/** Presses an element with the real mouse, where it can be reached. An option of a list is left for who asks. */
export async function pressElement(
  stage: Stage,
  named: Element_,
  press: Press = {},
): Promise<'pressed' | 'option'> {
  const [look, first] = await Promise.all([lookAt(named), pointOf(named)])
  if (look === 'option') return 'option'
  if (look === 'area') await pressArea(stage, named, press)
  else if (look === 'picture') await pressPicture(stage, named, press)
  else if (look === 'sized' && first) await pressAt(stage, named, press, first)
  else await pressUnready(stage, look === 'empty' ? await bodyOf(named) : named, press)
  return 'pressed'
}

/**
 * Its style draws it, often as another picture for the pointer over it. While that one loads there is nothing to press:
 * people wait until they see it.
 */
async function pressPicture(stage: Stage, element: Element_, press: Press): Promise<void> {
  const timeout = Math.min(left(stage), patience)
  await element.waitForElementState('visible', { timeout }).catch(() => undefined)
  const point = await pointOf(element)
  if (!point) return pressUnready(stage, element, press)
  await element.hover({ position: point, force: true, timeout }).catch(() => undefined)
  await pressAt(stage, element, press, point)
}

/** Covered for now, hidden, or a wrapper. */
async function pressUnready(stage: Stage, element: Element_, press: Press): Promise<void> {
  const point = await reachable(stage, element)
  const visible = await element.isVisible()
  if (point === null && visible) return pressLabel(stage, element, press)
  if (point === null) return pressHidden(stage, element, press)
  if (visible) return pressAt(stage, element, press, point)
  await pressShape(stage, element, press, point)
}

/** A box that its own picture covers. */
async function pressLabel(stage: Stage, element: Element_, press: Press): Promise<void> {
  const label = await labelOf(element)
  if (label) return void (await pressElement(stage, label, press))
  // A page can lie to our look, not to the driver's, which also says what lies there.
  const limited = { ...optionsOf(press), timeout: Math.min(left(stage), 500) }
  await clickOnce(element, limited).catch(({ message }: Error) => {
    if (/TypeError/.test(message)) return pressMiddle(stage, element, press)
    throw /intercepts|Timeout/i.test(message) ? covered() : new Error(message)
  })
}

/** Where it is in this moment, with nothing asked. */
async function pressMiddle({ page }: Stage, element: Element_, press: Press): Promise<void> {
  const box = await element.boundingBox()
  if (!box) throw covered()
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2, optionsOf(press))
}

/** A line that is drawn has no height, which the driver takes for hidden. */
async function pressShape(stage: Stage, element: Element_, press: Press, point?: Point): Promise<void> {
  const box = await element.boundingBox()
  if (!box || !point) return clickOnce(element, { ...optionsOf(press), timeout: 1_000 })
  await stage.page.mouse.click(box.x + point.x, box.y + point.y, optionsOf(press))
}

async function pressHidden(stage: Stage, element: Element_, press: Press): Promise<void> {
  const label = await labelOf(element)
  if (label) return void (await pressElement(stage, label, press))
  if (await showsByHover(stage, element)) return void (await pressElement(stage, element, press))
  // The driver says in its own words what hides it.
  await clickOnce(element, { ...optionsOf(press), timeout: Math.min(left(stage), 1_000) })
}

const optionsOf = ({ button = 'left', times = 1 }: Press) => ({ button, clickCount: times })

async function pressAt(
  stage: Stage,
  element: Element_,
  press: Press,
  point: Point | undefined,
): Promise<void> {
  const place = point && !point.isMiddle ? { position: point } : {}
  const timeout = Math.min(left(stage), restLimit)
  try {
    await clickOnce(element, { ...optionsOf(press), ...place, timeout })
  } catch (thrown) {
    const { message } = thrown as Error
    if (/intercepts pointer/i.test(message))
      return clickOnce(element, { ...optionsOf(press), timeout: left(stage) })
    // Fields of a form may have the names of its methods, which not every driver survives.
    if (!/not stable|TypeError/i.test(message)) {
      if (!/Timeout/i.test(message) || /not enabled/i.test(message) || left(stage) <= timeout) throw thrown
      return clickOnce(element, { ...optionsOf(press), ...place, timeout: left(stage) })
    }
    await pressMiddle(stage, element, press)
  }
}

/** A part of a picture: the picture is pressed there. */
async function pressArea(stage: Stage, area: Element_, press: Press): Promise<void> {
  const image = await askFor(
    area,
    `(node) => {
      const name = node.closest('map')?.getAttribute('name') ?? ''
      return Document.prototype.querySelector.call(document, 'img[usemap="#' + CSS.escape(name) + '"]')
    }`,
  )
  if (!image)
    throw new BrowserFailure('not_visible', 'The picture of this area is not shown', 'Take a new snapshot')
  await image.scrollIntoViewIfNeeded({ timeout: left(stage) })
  const [point, inArea, inImage] = [await pointOf(area), await boxIn(area), await boxIn(image)]
  if (!point) throw covered()
  const position = { x: inArea.x + point.x - inImage.x, y: inArea.y + point.y - inImage.y }
  await clickOnce(image, { ...optionsOf(press), position, force: true, timeout: left(stage) })
}

const boxIn = (element: Element_): Promise<Point> =>
  ask<Point>(
    element,
    `(node) => {
      const { left: x, top: y } = node.getBoundingClientRect()
      return { x, y }
    }`,
  )
