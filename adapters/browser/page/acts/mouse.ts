import type { Page } from 'playwright'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import type { Action } from '../../../../runtime/tabs/schema.ts'
import type { Point } from '../../page-script/geometry.ts'
import type { PageElement } from '../element.ts'
import { covered } from '../failure.ts'
import { findElement, namesElement } from '../target.ts'
import { chooseOption } from './choose.ts'
import { clickOnce, type Press, pressElement, reachable } from './press.ts'
import { type Act, left, type Stage, targetOf } from './stage.ts'

const pressing =
  (press: Press): Act =>
  async (stage) => {
    const { page, action } = stage
    if (!namesElement(action)) {
      const { x, y } = viewportPoint(page, action)
      return page.mouse.click(x, y, press)
    }
    const element = await targetOf(stage)
    if (hasPoint(action))
      return element.whileSame(() => clickOnce(element, { ...press, position: pointOf(action), timeout: left(stage) }))
    if ((await pressElement(stage, element, press)) === 'option') await chooseOption(stage, element)
  }

export const click = pressing({})
export const doubleClick = pressing({ clickCount: 2 })
export const rightClick = pressing({ button: 'right' })

const hasPoint = ({ x, y }: Partial<Action>): boolean => x !== undefined && y !== undefined

/** With an element, relative to its upper left corner. */
function pointOf({ x, y }: Partial<Action>): Point {
  if (x !== undefined && y !== undefined) return { x, y }
  throw new BrowserFailure(
    'element_not_found',
    'The act names no element and no point',
    'Give index (from the snapshot), ref, selector, or x and y',
  )
}

/** A point of the viewport. The mouse reaches nothing outside it. */
export function viewportPoint(page: Page, action: Partial<Action>): Point {
  const { x, y } = pointOf(action)
  const size = page.viewportSize()
  if (!size || (x >= 0 && y >= 0 && x < size.width && y < size.height)) return { x, y }
  throw new BrowserFailure(
    'not_visible',
    `The point ${x},${y} lies outside the viewport of ${size.width}x${size.height}`,
    'Scroll first, then give a point inside the viewport',
  )
}

export const hover: Act = async (stage) => {
  const { page, action } = stage
  if (!namesElement(action)) {
    const { x, y } = viewportPoint(page, action)
    return page.mouse.move(x, y)
  }
  const element = await targetOf(stage)
  const position = hasPoint(action) ? pointOf(action) : await reachablePosition(stage, element)
  await (await element.handle()).hover({ ...(position ? { position } : {}), timeout: left(stage) })
}

async function reachablePosition(stage: Stage, element: PageElement): Promise<Point | undefined> {
  const point = await reachable(stage, element)
  if (point === null && (await element.isVisible())) throw covered()
  return point?.position
}

/** For the end of a drag, as the identity is that of its beginning. */
const withoutIdentity = ({ view, until }: Stage) => ({ view, until })

interface Place extends Point {
  /** Null for a point that names no element. */
  element: PageElement | null
}

/**
 * Where a drag begins or ends, in the viewport: by default the middle of the list entry that the element
 * fills.
 */
async function placeOf(stage: Stage, naming: Partial<Action>, isEnd = false): Promise<Place> {
  if (!namesElement(naming)) return { ...viewportPoint(stage.page, naming), element: null }
  const target = await findElement(stage.page, naming, isEnd ? withoutIdentity(stage) : stage)
  const element = hasPoint(naming) ? target : ((await target.find('entryOf')) ?? target)
  const point = hasPoint(naming) ? pointOf(naming) : await reachable(stage, element, true)
  const isWithin = isEnd && !hasPoint(naming) && (await element.ask('isOutline'))
  const box = await element.box()
  if (!box) throw new BrowserFailure('not_visible', 'The element is hidden', 'Scroll to it, and take a new snapshot')
  return point && !isWithin
    ? { element, x: box.x + point.x, y: box.y + point.y }
    : { element, x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

const steps = 12

/**
 * With the real mouse in small steps, so that both drag events and mouse moves occur. It ends at `to`, or
 * `delta_x` and `delta_y` away. From text to text, or from an element to itself, it selects the text.
 */
export const dragAndDrop: Act = async (stage) => {
  const selection = await textRange(stage)
  if (selection) return drag(stage, { ...selection.from, element: null }, async () => selection.to)
  const from = await placeOf(stage, stage.action)
  await drag(stage, from, () => endOf(stage, from))
}

interface End extends Point {
  /** How far past the end the pointer moves. */
  overshoot?: Point
}

const overshoot = 3

async function endOf(stage: Stage, from: Point): Promise<End> {
  const { to, delta_x, delta_y } = stage.action
  // The element moves with the pointer, so it must be neither searched for nor scrolled to.
  if (endsWhereItBegins(stage.action)) return from
  if (to) {
    const end = await placeOf(stage, to as Partial<Action>, true)
    if (to.x !== undefined) return end
    const [across, down] = [end.x - from.x, end.y - from.y]
    const y = Math.abs(down) < 10 ? 0 : Math.sign(down) * overshoot
    // An item that moves up in a grid goes before the cell it is dropped on, so the pointer ends left of the
    // cell's middle.
    const x = down <= -10 ? -overshoot : Math.sign(across) * overshoot
    return { ...end, overshoot: { x: Math.abs(across) < 10 ? 0 : x, y } }
  }
  if (delta_x !== undefined || delta_y !== undefined) return { x: from.x + (delta_x ?? 0), y: from.y + (delta_y ?? 0) }
  throw new BrowserFailure(
    'element_not_found',
    'The drag has no end',
    'Give to: {index}, {selector} or {x, y}, or delta_x and delta_y',
  )
}

/** Presses the mouse where a drag begins. Throws `BrowserFailure` if the element is no longer there. */
async function grab({ page: { mouse } }: Stage, { element }: Place): Promise<void> {
  if (!element) return mouse.down()
  await element.whileSame(async () => {
    await element.ask('aimAt')
    await mouse.down()
    const blocked = await element.ask('blockedBy').catch(() => null)
    if (blocked) await mouse.up()
    if (blocked === 'missed') throw covered()
  })
}

async function drag(stage: Stage, from: Place, end: () => Promise<End>): Promise<void> {
  const { mouse } = stage.page
  await mouse.move(from.x, from.y)
  await grab(stage, from)
  try {
    await mouse.move(from.x + 3, from.y + 3)
    // The end is located now, because the start of a drag may have scrolled or rendered the page.
    const to = await end()
    await mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps })
    await mouse.move(to.x, to.y, { steps })
    // A sortable list reorders once the pointer is a little past the middle.
    await mouse.move(to.x + (to.overshoot?.x ?? 0), to.y + (to.overshoot?.y ?? 0))
    await mouse.move(to.x + (to.overshoot?.x ?? 0), to.y + (to.overshoot?.y ?? 0))
  } finally {
    await mouse.up()
  }
}

/** Where the text to select begins and ends; null if this drag moves something. */
async function textRange(stage: Stage): Promise<{ from: Point; to: Point } | null> {
  const { action, page, view } = stage
  const { to } = action
  if (!to || !namesElement(action) || !namesElement(to as Partial<Action>) || action.x !== undefined) return null
  const isText = (index?: number) => index !== undefined && view?.kindOf(index) === 'text'
  if (!endsWhereItBegins(action) && !(isText(action.index) && isText(to.index))) return null
  const first = await findElement(page, action, stage)
  const last = await findElement(page, to as Partial<Action>, withoutIdentity(stage))
  await (await first.handle()).scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => undefined)
  const [start, end] = [await edgeOf(first, 'start'), await edgeOf(last, 'end')]
  return start && end ? { from: start, to: end } : null
}

const endsWhereItBegins = ({ index, selector, ref, to }: Action): boolean =>
  to?.x === undefined &&
  ((index !== undefined && index === to?.index) ||
    (selector !== undefined && selector === to?.selector) ||
    (ref !== undefined && ref === to?.ref))

async function edgeOf(element: PageElement, edge: 'start' | 'end'): Promise<Point | null> {
  const box = await element.box()
  const place = await element.ask('textEdge', edge)
  return box && place ? { x: box.x + place.x, y: box.y + place.y } : null
}
