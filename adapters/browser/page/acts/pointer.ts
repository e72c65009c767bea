import type { Action } from '../../../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { type Element_, findElement, namesElement, pointOf } from '../target.ts'
import { type Act, left, type Stage } from './act.ts'

interface Point {
  x: number
  y: number
}

const pause = 100

/** A point of the element that nothing covers, as soon as there is one. */
async function reachable(stage: Stage, element: Element_): Promise<Point | null> {
  for (;;) {
    const point = await pointOf(element)
    if (point || Date.now() >= stage.until - pause) return point
    if (!(await element.isVisible())) return null
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const covered = () =>
  new BrowserFailure(
    'obscured',
    'Something else lies over the element',
    'Close or move what covers it (a banner, a menu), or scroll, and take a new snapshot',
  )

/** A hidden box whose label is what people see: they click the label. */
async function labelOf(element: Element_): Promise<Element_ | null> {
  const label = await element.evaluateHandle((node) => {
    const labels = [...((node as HTMLInputElement).labels ?? [])]
    return labels.find((one) => one.checkVisibility({ visibilityProperty: true })) ?? null
  })
  return label.asElement() as Element_ | null
}

interface Press {
  button?: 'left' | 'right'
  times?: 1 | 2
}

/** Presses an element with the real mouse, where it can be reached. */
export async function pressElement(stage: Stage, element: Element_, press: Press = {}): Promise<void> {
  const point = await reachable(stage, element)
  const options = {
    button: press.button ?? 'left',
    clickCount: press.times ?? 1,
    timeout: left(stage),
  } as const
  if (point) return element.click({ ...options, position: point })
  if (!(await element.isVisible())) {
    const label = await labelOf(element)
    if (label) return label.click(options)
    // The driver says in its own words what hides it.
    return element.click({ ...options, timeout: Math.min(left(stage), 1_000) })
  }
  throw covered()
}

export const targetOf = (stage: Stage): Promise<Element_> => findElement(stage.page, stage.action, stage)

const pressing =
  (press: Press): Act =>
  async (stage) => {
    const { page, action } = stage
    if (namesElement(action)) return pressElement(stage, await targetOf(stage), press)
    const { x, y } = pointGiven(action)
    await page.mouse.click(x, y, { button: press.button ?? 'left', clickCount: press.times ?? 1 })
  }

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
  if (!namesElement(stage.action)) {
    const { x, y } = pointGiven(stage.action)
    return stage.page.mouse.move(x, y)
  }
  const element = await targetOf(stage)
  const point = await reachable(stage, element)
  if (!point && (await element.isVisible())) throw covered()
  await element.hover({ ...(point ? { position: point } : {}), timeout: left(stage) })
}

/** Where a drag begins or ends, as a point of the page's viewport. */
async function placeOf(stage: Stage, naming: Partial<Action>): Promise<Point> {
  if (!namesElement(naming)) return pointGiven(naming)
  const element = await findElement(stage.page, naming, stage)
  const point = await reachable(stage, element)
  const box = await element.boundingBox()
  if (!box)
    throw new BrowserFailure('not_visible', 'The element is hidden', 'Scroll to it, and take a new snapshot')
  return point
    ? { x: box.x + point.x, y: box.y + point.y }
    : { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

const steps = 12

/** With the real mouse, in small steps: what listens to drags and what listens to moves both hear it. */
export const dragAndDrop: Act = async (stage) => {
  const { page, action } = stage
  if (!action.to)
    throw new BrowserFailure(
      'element_not_found',
      'The drag has no end',
      'Give to: {index}, {selector} or {x, y}',
    )
  const from = await placeOf(stage, action)
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  try {
    await page.mouse.move(from.x + 3, from.y + 3)
    // The end is looked for now, for the start of a drag may have scrolled the page or drawn it anew.
    const to = await placeOf(stage, action.to)
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps })
    await page.mouse.move(to.x, to.y, { steps })
    await page.mouse.move(to.x, to.y)
  } finally {
    await page.mouse.up()
  }
}
