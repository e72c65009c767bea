import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import type { Element_ } from '../target.ts'
import { type Act, left, type Stage } from './act.ts'
import { pressElement, targetOf } from './pointer.ts'

/** By value or by what is shown. A list that is drawn by the page itself is opened and clicked instead. */
export const selectOption: Act = async (stage) => {
  const { action } = stage
  const wanted = action.values ?? [action.value ?? action.text ?? '']
  const element = await selectIn(await targetOf(stage))
  if (!element)
    throw new BrowserFailure(
      'element_not_found',
      'This is no list of the browser, but one that the page draws',
      'Click it to open it, take a new snapshot, and click the option',
    )
  const options = await element.evaluate((node) =>
    [...(node as HTMLSelectElement).options].map(({ value, label, disabled }) => ({
      value,
      label: label.trim(),
      disabled,
    })),
  )
  const chosen = wanted.map((text) => {
    const same = (other: string) => other.trim().toLowerCase() === text.trim().toLowerCase()
    const found =
      options.find(({ value }) => value === text) ??
      options.find(({ label }) => label === text.trim()) ??
      options.find(({ label, value }) => same(label) || same(value))
    return found ?? raise(text, options)
  })
  await element.selectOption(
    chosen.map(({ value, label }) => ({ value, label })),
    { timeout: left(stage) },
  )
}

function raise(text: string, options: readonly { label: string }[]): never {
  const offered = options.slice(0, 20).map(({ label }) => `"${label}"`)
  throw new BrowserFailure(
    'element_not_found',
    `The list has no option "${text.slice(0, 60)}"`,
    `It offers ${offered.join(', ')}`,
  )
}

/** The list itself, or the one that belongs to a label or an option. */
async function selectIn(element: Element_): Promise<Element_ | null> {
  const found = await element.evaluateHandle((node) => {
    if (node instanceof HTMLSelectElement) return node
    if (node instanceof HTMLLabelElement)
      return node.control instanceof HTMLSelectElement ? node.control : null
    return node.closest('select') ?? node.querySelector('select')
  })
  return found.asElement() as Element_ | null
}

const isChecked = (element: Element_): Promise<boolean | null> =>
  element.evaluate((node) => {
    const box = node instanceof HTMLLabelElement ? node.control : node
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
  if (!(await element.evaluate((node) => node.matches(':disabled, [aria-disabled=true]')))) return
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
