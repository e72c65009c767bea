import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask, askAll } from '../apart.ts'
import { type Element_, namesElement } from '../target.ts'
import { type Act, targetOf } from './act.ts'
import { pressElement } from './press.ts'

const names: Readonly<Record<string, string>> = {
  esc: 'Escape',
  return: 'Enter',
  del: 'Delete',
  ins: 'Insert',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  pgup: 'PageUp',
  pgdn: 'PageDown',
  pagedown: 'PageDown',
  pageup: 'PageUp',
  ctrl: 'Control',
  cmd: 'Meta',
  command: 'Meta',
  option: 'Alt',
  spacebar: 'Space',
}
const proper =
  'Enter Tab Escape Space Backspace Delete Insert Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight Control Shift Alt Meta ControlOrMeta'
const known = new Map(proper.split(' ').map((name) => [name.toLowerCase(), name]))

const properName = (part: string): string =>
  known.get(part.toLowerCase()) ?? names[part.toLowerCase()] ?? part

/** One key with what is held, or several with blanks between them: `ArrowDown ArrowDown Enter`. */
function keysOf(text: string): string[] {
  if (text.trim() === '') return text === '' ? [''] : ['Space']
  return text
    .trim()
    .split(/\s+/)
    .map((key) =>
      key.length === 1 ? key : key.replace(/\+\+$/, '+Plus').split('+').map(properName).join('+'),
    )
    .map((key) => key.replace(/\bPlus$/, '+'))
}

export const pressKey: Act = async (stage) => {
  const { page, action } = stage
  const key = action.key ?? action.text ?? ''
  if (namesElement(action)) {
    const element = await targetOf(stage)
    if (!(await focusOn(element))) await pressElement(stage, element)
  }
  try {
    for (const one of keysOf(key)) await page.keyboard.press(one)
  } catch (thrown) {
    if (!/Unknown key/i.test((thrown as Error).message)) throw thrown
    const hint = 'Names are those of the keyboard: Enter, Tab, Escape, ArrowDown, F5, a, Control+A'
    throw new BrowserFailure('element_not_found', `There is no key "${key.slice(0, 40)}"`, hint)
  }
}

/** Whether it, or something in it, holds the focus then. */
async function focusOn(element: Element_): Promise<boolean> {
  await element.focus()
  return ask(element, (node) => {
    const root = node.getRootNode()
    // A page can give a form the name of what is asked of its document.
    const owner = root instanceof Document ? Document.prototype : ShadowRoot.prototype
    const focused = () => Reflect.get(owner, 'activeElement', root) as Element | null
    const activeElement = focused()
    if (activeElement && activeElement !== document.body && node.contains(activeElement)) return true
    const inside = node.querySelector<HTMLElement>(
      'a[href], button, input:not([type=hidden]), select, textarea, [tabindex], [contenteditable]',
    )
    inside?.focus()
    return inside !== null && node.contains(focused())
  })
}

export const focus: Act = async (stage) => {
  if (await focusOn(await targetOf(stage))) return
  throw new BrowserFailure('not_enabled', 'This element takes no focus', 'Click it instead')
}

export const blur: Act = async (stage) => {
  const { page, action } = stage
  if (namesElement(action)) return ask(await targetOf(stage), (node) => (node as HTMLElement).blur())
  await askAll(page, () =>
    (Reflect.get(Document.prototype, 'activeElement', document) as HTMLElement | null)?.blur(),
  )
}
