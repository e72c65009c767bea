import type { Action } from '../../../../runtime/browser/schema.ts'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask } from '../apart.ts'
import { type Element_, findElement, namesElement, type Point } from '../target.ts'
import type { Act, Stage } from './act.ts'
import { placeOf } from './pointer.ts'

const steps = 12

/**
 * With the real mouse, in small steps: what listens to drags and what listens to moves both hear it. It ends at `to`, or
 * `delta_x` and `delta_y` further. From words to words, or from an element to itself, it selects the text.
 */
export const dragAndDrop: Act = async (stage) => {
  const { action } = stage
  const words = await wordsOf(stage)
  if (words) return drag(stage, words.from, async () => words.to)
  const from = await placeOf(stage, action)
  await drag(stage, from, () => endOf(stage, from))
}

interface End extends Point {
  /** How much further in the direction of the drag. */
  beyond?: Point
}

const beyond = 3

async function endOf(stage: Stage, from: Point): Promise<End> {
  const { to, delta_x, delta_y } = stage.action
  // What lies there by now must not be searched for, nor scrolled to.
  if (endsWhereItBegins(stage.action)) return from
  if (to) {
    const end = await placeOf(stage, to as Partial<Action>, true)
    const exact = to.x !== undefined
    const y = Math.sign(end.y - from.y) * beyond
    // What goes up in a grid goes before what it is let go on, as it is read: to the left of it.
    const x = end.y - from.y <= -10 ? -beyond : Math.sign(end.x - from.x) * beyond
    return exact
      ? end
      : {
          ...end,
          beyond: { x: Math.abs(end.x - from.x) < 10 ? 0 : x, y: Math.abs(end.y - from.y) < 10 ? 0 : y },
        }
  }
  if (delta_x !== undefined || delta_y !== undefined)
    return { x: from.x + (delta_x ?? 0), y: from.y + (delta_y ?? 0) }
  throw new BrowserFailure(
    'element_not_found',
    'The drag has no end',
    'Give to: {index}, {selector} or {x, y}, or delta_x and delta_y',
  )
}

async function drag({ page }: Stage, from: Point, end: () => Promise<End>): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  try {
    await page.mouse.move(from.x + 3, from.y + 3)
    // The end is looked for now, for the start of a drag may have scrolled the page or drawn it anew.
    const to = await end()
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps })
    await page.mouse.move(to.x, to.y, { steps })
    // A list takes it for passed when the pointer is a little beyond the middle.
    await page.mouse.move(to.x + (to.beyond?.x ?? 0), to.y + (to.beyond?.y ?? 0))
    await page.mouse.move(to.x + (to.beyond?.x ?? 0), to.y + (to.beyond?.y ?? 0))
  } finally {
    await page.mouse.up()
  }
}

/** Where the text to select begins and ends; null when this drag moves something. */
async function wordsOf(stage: Stage): Promise<{ from: Point; to: Point } | null> {
  const { action, page, view } = stage
  const { to } = action
  if (!to || !namesElement(action) || !namesElement(to as Partial<Action>) || action.x !== undefined)
    return null
  const isText = (index?: number) => index !== undefined && view?.elements[index - 1]?.kind === 'text'
  if (!endsWhereItBegins(action) && !(isText(action.index) && isText(to.index))) return null
  const first = await findElement(page, action, stage)
  const last = await findElement(page, to as Partial<Action>, stage)
  await first.scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => undefined)
  const [from, until] = [await edgeOf(first, 'start'), await edgeOf(last, 'end')]
  return from && until ? { from, to: until } : null
}

const endsWhereItBegins = ({ index, selector, ref, to }: Action): boolean =>
  to?.x === undefined &&
  ((index !== undefined && index === to?.index) ||
    (selector !== undefined && selector === to?.selector) ||
    (ref !== undefined && ref === to?.ref))

async function edgeOf(element: Element_, edge: 'start' | 'end'): Promise<Point | null> {
  const box = await element.boundingBox()
  const look = (node: Element, side: typeof edge) => {
    const range = new Range()
    range.selectNodeContents(node)
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0)
    const rect = side === 'start' ? rects[0] : rects.at(-1)
    const own = node.getBoundingClientRect()
    if (!rect) return null
    const x = side === 'start' ? rect.left + 0.5 : rect.right - 0.5
    return { x: x - own.left, y: rect.top + rect.height / 2 - own.top }
  }
  const place = await ask(element, look, edge)
  return box && place ? { x: box.x + place.x, y: box.y + place.y } : null
}
