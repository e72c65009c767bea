import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask, askFor } from '../apart.ts'
import { type Element_, namesElement } from '../target.ts'
import { type Act, left, type Stage, targetOf } from './act.ts'
import { pressElement } from './press.ts'
import { asHtmlValue, valueForms } from './values.ts'

/** Longer texts are put in at once, as a paste is. */
const mostKeys = 1_000

/** How an element takes text: by keys, as a whole, or not at all. */
type Intake = 'field' | 'whole' | 'rich' | 'inside' | `no ${string}`

const intakeOf = (element: Element_): Promise<Intake> =>
  ask(element, (node): Intake => {
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

/** The field that is meant: the one of a label, or the only one that something wraps. */
async function fieldOf(element: Element_): Promise<Element_> {
  const found = await askFor(element, (node) => {
    if (node.matches('input, textarea, select') || (node as HTMLElement).isContentEditable) return node
    if (node instanceof HTMLLabelElement && node.control) return node.control
    const inside = [node, ...(node.shadowRoot ? [node.shadowRoot] : [])].flatMap((root) => [
      ...root.querySelectorAll(
        'input:not([type=hidden]), textarea, [contenteditable=""], [contenteditable=true]',
      ),
    ])
    const shown = inside.filter((field) => field.checkVisibility({ visibilityProperty: true }))
    return shown.length === 1 ? shown[0] : node
  })
  return found ?? element
}

/**
 * Replaces what a field holds by real keys; without an element it types where the caret is. Dates, times, colours and
 * ranges take their value as a whole, in the form of HTML: `2026-03-29`, `14:30`, `#ff0000`.
 */
export const typeText: Act = async (stage) => {
  const { page, action } = stage
  const text = action.text ?? action.value ?? raise(textless())
  if (!namesElement(action)) {
    if (action.x !== undefined && action.y !== undefined) await page.mouse.click(action.x, action.y)
    return keys(stage, text)
  }
  const element = await fieldOf(await targetOf(stage))
  await requireEnabled(element)
  const intake = await intakeOf(element)
  if (intake.startsWith('no ')) throw wrongAct(intake.slice(3))
  if (intake === 'whole') return fillWhole(stage, element, text)
  await pressElement(stage, element)
  if (intake === 'field') await element.selectText({ timeout: left(stage) })
  if (intake === 'rich') await selectAll(element)
  if (text === '' && intake !== 'inside') return page.keyboard.press('Delete')
  await keys(stage, text)
  if (intake === 'field') await refuseUnread(element, text)
}

const textless = () =>
  new BrowserFailure('not_enabled', 'The act has no text', 'Give it as text; "" empties the field')

function raise(failure: BrowserFailure): never {
  throw failure
}

async function requireEnabled(element: Element_): Promise<void> {
  const closed = await ask(element, (node) => node.matches(':disabled, [readonly], [aria-disabled=true]'))
  if (!closed) return
  throw new BrowserFailure(
    'not_enabled',
    'The field is disabled or cannot be edited',
    'Click it if that opens what fills it in, such as a calendar; else do first what enables it',
  )
}

/** What this editor holds, and nothing around it. */
const selectAll = (element: Element_): Promise<void> =>
  ask(element, (node) => {
    const editor = node as HTMLElement
    const selection = getSelection()
    if (!editor.contains(Reflect.get(Document.prototype, 'activeElement', document))) editor.focus()
    selection?.selectAllChildren(editor)
  })

const heldBy = (element: Element_): Promise<string> =>
  ask(element, (node) => (node as HTMLInputElement).value)

async function fillWhole(stage: Stage, element: Element_, text: string): Promise<void> {
  const type = await ask(element, (node) => (node as HTMLInputElement).type)
  const value = asHtmlValue(type, text.trim())
  const before = await heldBy(element)
  const took = await element.fill(value, { timeout: left(stage) }).then(
    async () => holdsIt(type, await heldBy(element), value),
    (thrown: Error) => {
      if (!/Malformed/i.test(thrown.message)) throw thrown
      return false
    },
  )
  if (took) return
  if ((await heldBy(element)) !== before)
    await element.fill(before, { timeout: left(stage) }).catch(() => undefined)
  throw refused(text)
}

/** A range rounds to its steps, and a field that cannot read a value empties or keeps its own. */
function holdsIt(type: string, held: string, value: string): boolean {
  if (type === 'color') return held.toLowerCase() === value
  if (type === 'range')
    return Math.abs(Number(held) - Number(value)) <= Math.max(1, Math.abs(Number(value)) * 0.05)
  return held !== '' || value === ''
}

const refused = (text: string): BrowserFailure =>
  new BrowserFailure('not_enabled', `The field does not take "${text.slice(0, 60)}"`, valueForms)

/** A field for numbers drops what is none without a word. */
async function refuseUnread(element: Element_, text: string): Promise<void> {
  const unread = await ask(element, (node) => {
    const { type, value } = node as HTMLInputElement
    return type === 'number' && value === ''
  }).catch(() => false)
  if (unread && text.trim() !== '') throw refused(text)
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
