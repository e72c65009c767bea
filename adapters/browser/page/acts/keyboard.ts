import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { type Element_, namesElement } from '../target.ts'
import { type Act, left, type Stage } from './act.ts'
import { pressElement, targetOf } from './pointer.ts'

/** Longer texts are put in at once, as a paste is. */
const mostKeys = 1_000

/** How an element takes text: by keys, as a whole, or not at all. */
type Intake = 'field' | 'whole' | 'rich' | 'inside' | `no ${string}`

const intakeOf = (element: Element_): Promise<Intake> =>
  element.evaluate((node): Intake => {
    if (node instanceof HTMLInputElement) {
      if (/^(date|time|month|week|datetime-local|color|range)$/.test(node.type)) return 'whole'
      if (/^(checkbox|radio)$/.test(node.type)) return 'no check'
      if (node.type === 'file') return 'no upload'
      return /^(button|submit|reset|image)$/.test(node.type) ? 'no click' : 'field'
    }
    if (node instanceof HTMLTextAreaElement) return 'field'
    if (node instanceof HTMLSelectElement) return 'no select_option'
    return (node as HTMLElement).isContentEditable ? 'rich' : 'inside'
  })

/**
 * Replaces what a field holds by real keys; without an element it types where the caret is. Dates, times, colours and
 * ranges take their value as a whole, in the form of HTML: `2026-03-29`, `14:30`, `#ff0000`.
 */
export const typeText: Act = async (stage) => {
  const { page, action } = stage
  const text = action.text ?? action.value ?? ''
  if (!namesElement(action)) {
    if (action.x !== undefined && action.y !== undefined) await page.mouse.click(action.x, action.y)
    return keys(stage, text)
  }
  const element = await targetOf(stage)
  await requireEnabled(element)
  const intake = await intakeOf(element)
  if (intake.startsWith('no ')) throw wrongAct(intake.slice(3))
  if (intake === 'whole') return fillWhole(stage, element, text)
  if (intake === 'field') await selectField(stage, element)
  else {
    await pressElement(stage, element)
    if (intake === 'rich') await page.keyboard.press('ControlOrMeta+A')
  }
  if (text === '' && intake !== 'inside') return page.keyboard.press('Delete')
  return keys(stage, text)
}

async function requireEnabled(element: Element_): Promise<void> {
  const closed = await element.evaluate((node) => node.matches(':disabled, [readonly], [aria-disabled=true]'))
  if (!closed) return
  throw new BrowserFailure(
    'not_enabled',
    'The field is disabled or cannot be edited',
    'Do first what enables it, such as an earlier step of the form',
  )
}

async function selectField(stage: Stage, element: Element_): Promise<void> {
  await pressElement(stage, element)
  await element.selectText({ timeout: left(stage) })
}

async function fillWhole(stage: Stage, element: Element_, text: string): Promise<void> {
  try {
    await element.fill(text.trim(), { timeout: left(stage) })
  } catch (thrown) {
    if (!/Malformed/i.test((thrown as Error).message)) throw thrown
    throw new BrowserFailure(
      'not_enabled',
      `The field does not take "${text.slice(0, 60)}"`,
      'Write dates as 2026-03-29, times as 14:30, months as 2026-03, weeks as 2026-W13, colours as #ff0000',
    )
  }
}

const wrongAct = (act: string): BrowserFailure =>
  new BrowserFailure(
    'not_enabled',
    'This element takes no text',
    act === 'upload' ? 'Use upload' : `Use ${act}`,
  )

async function keys({ page }: Stage, text: string): Promise<void> {
  if (text.length > mostKeys) await page.keyboard.insertText(text)
  else await page.keyboard.type(text)
}

export const pressKey: Act = async (stage) => {
  const { page, action } = stage
  const key = action.key ?? action.text ?? ''
  if (namesElement(action)) await (await targetOf(stage)).focus()
  try {
    await page.keyboard.press(key)
  } catch (thrown) {
    if (!/Unknown key/i.test((thrown as Error).message)) throw thrown
    const hint = 'Names are those of the keyboard: Enter, Tab, Escape, ArrowDown, F5, a, Control+A'
    throw new BrowserFailure('element_not_found', `There is no key "${key.slice(0, 40)}"`, hint)
  }
}

export const focus: Act = async (stage) => (await targetOf(stage)).focus()

export const blur: Act = async (stage) => {
  const { page, action } = stage
  if (namesElement(action)) return (await targetOf(stage)).evaluate((node) => (node as HTMLElement).blur())
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
}
