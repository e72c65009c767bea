import type { Page } from 'playwright'
import { ask, askPage } from '../apart.ts'
import { type Element_, namesElement, type Point } from '../target.ts'
import { within } from '../view.ts'
import { type Act, left, type Stage, targetOf } from './act.ts'
import { reachable } from './press.ts'

const screenful = 600
/** Milliseconds until the wheel has moved something, if it does. */
const moveLimit = 200
/** Milliseconds for a page to be drawn; one that nobody sees never is. */
const drawLimit = 500

/** With the wheel, over the element or the point that is named, else over the middle of the page. */
export const scroll: Act = async (stage) => {
  const { page, action } = stage
  const { delta_x = 0, delta_y = delta_x === 0 ? screenful : 0 } = action
  if (namesElement(action)) return scrollElement(stage, await targetOf(stage), { x: delta_x, y: delta_y })
  const size = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.mouse.move(action.x ?? size.width / 2, action.y ?? size.height / 2)
  await page.mouse.wheel(delta_x, delta_y)
  await drawn(page)
}

/** What does not heed the wheel, such as a list under something else, is moved without it. */
async function scrollElement(stage: Stage, element: Element_, by: Point): Promise<void> {
  const { page } = stage
  const point = await reachable({ ...stage, until: 0 }, element)
  const box = await element.boundingBox()
  if (point && box) {
    const before = await positionOf(element)
    await page.mouse.move(box.x + point.x, box.y + point.y)
    await page.mouse.wheel(by.x, by.y)
    if (await movedFrom(element, before)) return
  } else if (!box) {
    // It has no place where the pointer could be.
    await element.scrollIntoViewIfNeeded({ timeout: left(stage) })
  }
  const move = (node: Element, { x, y }: Point) => {
    for (let one: Element | null = node; one; one = one.parentElement) {
      const before = [one.scrollLeft, one.scrollTop].join()
      one.scrollBy({ left: x, top: y, behavior: 'instant' })
      if ([one.scrollLeft, one.scrollTop].join() !== before) return
    }
  }
  await ask(element, move, by)
}

/** Of everything that it lies in. */
const positionOf = (element: Element_): Promise<string> =>
  ask(element, (node) => {
    const places: number[] = []
    for (let one: Element | null = node; one; one = one.parentElement)
      places.push(one.scrollLeft, one.scrollTop)
    return places.join()
  })

async function movedFrom(element: Element_, before: string): Promise<boolean> {
  const until = Date.now() + moveLimit
  for (;;) {
    if ((await positionOf(element)) !== before) return true
    if (Date.now() >= until) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Two frames: the wheel is heeded in the first. */
const drawn = (page: Page): Promise<unknown> =>
  within(
    drawLimit,
    askPage(
      page,
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    ),
  )

export const scrollToElement: Act = async (stage) => {
  const element = await targetOf(stage)
  await ask(element, (node) =>
    node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' }),
  )
}
