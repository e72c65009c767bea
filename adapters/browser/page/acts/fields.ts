import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask } from '../apart.ts'
import type { Element_ } from '../target.ts'
import { type Act, type Stage, targetOf } from './act.ts'
import { pressElement } from './press.ts'

const isChecked = (element: Element_): Promise<boolean | null> =>
  ask(element, (node) => {
    const inside = node.querySelectorAll('input[type=checkbox], input[type=radio]')
    const label = node instanceof HTMLLabelElement ? node.control : null
    const box = label ?? (inside.length === 1 ? inside[0] : node)
    if (box instanceof HTMLInputElement && /^(checkbox|radio)$/.test(box.type)) return box.checked
    const told =
      box?.getAttribute('aria-checked') ??
      box?.getAttribute('aria-pressed') ??
      box?.getAttribute('aria-selected')
    return told === null || told === undefined ? null : told === 'true'
  })

/** Also for switches and boxes that a page draws itself: pressed when they are not as they should be, and looked at after. */
const setting =
  (wanted: boolean): Act =>
  async (stage) => {
    const element = await targetOf(stage)
    const before = await isChecked(element)
    if (before === null)
      throw new BrowserFailure('not_enabled', 'This element cannot be checked', 'Use click')
    if (before === wanted) return
    await refuseDisabled(element)
    await pressElement(stage, element)
    if ((await settledAs(stage, element, wanted)) === wanted) return
    throw new BrowserFailure(
      'not_enabled',
      wanted ? 'It was clicked and is not checked' : 'It was clicked and is still checked',
      wanted
        ? 'The page may refuse it; take a new snapshot'
        : 'A radio button is unchecked by choosing another one',
    )
  }

async function refuseDisabled(element: Element_): Promise<void> {
  if (!(await ask(element, (node) => node.matches(':disabled, [aria-disabled=true]')))) return
  throw new BrowserFailure('not_enabled', 'The element is disabled', 'Do first what enables it')
}

/** A page may take a moment to draw what was clicked. */
async function settledAs(stage: Stage, element: Element_, wanted: boolean): Promise<boolean | null> {
  const patience = Math.min(stage.until, Date.now() + 1_000)
  for (;;) {
    // An element that is gone has done what it was clicked for.
    const now = await isChecked(element).catch(() => wanted)
    if (now === wanted || Date.now() >= patience) return now
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export const check = setting(true)
export const uncheck = setting(false)
