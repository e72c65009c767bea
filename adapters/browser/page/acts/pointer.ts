import type { Action } from '../../../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask, askFor } from '../apart.ts'
import { type Element_, findElement, namesElement, type Point } from '../target.ts'
import { type Act, left, type Stage, targetOf } from './act.ts'
import { clickOnce } from './once.ts'
import { chooseOption } from './option.ts'
import { covered, type Press, pressElement, reachable } from './press.ts'

const pressing =
  (press: Press): Act =>
  async (stage) => {
    const { page, action } = stage
    const options = { button: press.button ?? 'left', clickCount: press.times ?? 1 }
    if (!namesElement(action)) {
      const { x, y } = pointGiven(action)
      return page.mouse.click(x, y, options)
    }
    const element = await targetOf(stage)
    if (hasPoint(action))
      return clickOnce(element, { ...options, position: pointGiven(action), timeout: left(stage) })
    if ((await pressElement(stage, element, press)) === 'option') await chooseOption(stage, element)
  }

const hasPoint = ({ x, y }: Partial<Action>): boolean => x !== undefined && y !== undefined

/** Of the viewport; with an element, from its upper left corner. */
function pointGiven({ x, y }: Partial<Action>): Point {
  if (x !== undefined && y !== undefined) return { x, y }
  throw new BrowserFailure(
    'element_not_found',
    'The act names no element and no point',
    'Give index (of the snapshot), ref, selector, or x and y',
  )
}

export const click = pressing({})
export const doubleClick = pressing({ times: 2 })
export const rightClick = pressing({ button: 'right' })

export const hover: Act = async (stage) => {
  const { page, action } = stage
  if (!namesElement(action)) {
    const { x, y } = pointGiven(action)
    return page.mouse.move(x, y)
  }
  const element = await targetOf(stage)
  const point = hasPoint(action) ? pointGiven(action) : await reachable(stage, element)
  if (point === null && (await element.isVisible())) throw covered()
  await element.hover({ ...(point ? { position: point } : {}), timeout: left(stage) })
}

/**
 * Where a drag begins or ends, as a point of the page's viewport: the middle of the whole entry of a list, of which the
 * words may be a part above.
 */
export async function placeOf(stage: Stage, naming: Partial<Action>, last = false): Promise<Point> {
  if (!namesElement(naming)) return pointGiven(naming)
  const named = await findElement(stage.page, naming, stage)
  const element = hasPoint(naming) ? named : await entryOf(named)
  const point = hasPoint(naming) ? pointGiven(naming) : await reachable(stage, element, true)
  const inside = last && !hasPoint(naming) && (await isOutline(element))
  const box = await element.boundingBox()
  if (!box)
    throw new BrowserFailure('not_visible', 'The element is hidden', 'Scroll to it, and take a new snapshot')
  return point && !inside
    ? { x: box.x + point.x, y: box.y + point.y }
    : { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** The entry of a list that holds nothing but an element, else the element. */
const entryOf = async (element: Element_): Promise<Element_> =>
  (await askFor(
    element,
    `(node) => {
      const entry = node.closest('li, tr, [draggable=true], [role=listitem], [role=option], [role=row]')
      return entry?.textContent?.trim() === node.textContent?.trim() ? entry : null
    }`,
  )) ?? element

/** Drawn around a place: things are let go inside of it, where nothing of it is. */
const isOutline = (element: Element_): Promise<boolean> =>
  ask<boolean>(
    element,
    `(node) =>
      node instanceof SVGGeometryElement &&
      /^(rect|circle|ellipse|polygon)$/.test(node.localName) &&
      getComputedStyle(node).fill === 'none'`,
  )
