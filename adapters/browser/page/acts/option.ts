import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { ask, askFor, frameOf, notePage } from '../apart.ts'
import type { Element_ } from '../target.ts'
import { type Act, left, type Stage, targetOf } from './act.ts'
import { pressElement } from './press.ts'

/** Milliseconds for a list that the page draws to open. */
const openLimit = 2_000
const pause = 50

/** An option of a list of the browser cannot be pressed: it is chosen in its list. */
export async function chooseOption(stage: Stage, element: Element_): Promise<void> {
  const list = await listOf(element)
  if (!list) throw notDrawn()
  const option = await ask(element, (node) => {
    const { index, disabled } = node as HTMLOptionElement
    return { index, disabled }
  })
  if (option.disabled)
    throw new BrowserFailure('not_enabled', 'This option is disabled', 'Choose another one')
  const others = await ask(list, (node) => {
    const { multiple, selectedOptions } = node as HTMLSelectElement
    return multiple ? [...selectedOptions].map(({ index }) => index) : []
  })
  const wanted = [...new Set([...others, option.index])].map((index) => ({ index }))
  await list.selectOption(wanted, { timeout: left(stage) })
}

/** By value or by what is shown, also in lists that the page draws itself: those are opened and the option pressed. */
export const selectOption: Act = async (stage) => {
  const { action } = stage
  const given = action.values ?? action.value ?? action.text ?? null
  const wanted = given === null || Array.isArray(given) ? given : [given]
  const element = await targetOf(stage)
  const isOption = await ask(element, (node) => node instanceof HTMLOptionElement)
  if (wanted === null && isOption) return chooseOption(stage, element)
  const list = await listOf(element)
  if (!list) return selectDrawn(stage, element, wanted ?? [])
  const options = await optionsOf(list)
  if (wanted === null) throw noOption('', options)
  const indices = wanted.map((text) => ({ index: indexOf(text, options) }))
  await list.selectOption(indices, { timeout: left(stage) })
}

interface Option {
  value: string
  label: string
  disabled: boolean
}

const optionsOf = (list: Element_): Promise<Option[]> =>
  ask(list, (node) =>
    [...(node as HTMLSelectElement).options].map(({ value, label, disabled, parentElement }) => ({
      value,
      label: label.trim(),
      disabled: disabled || (parentElement instanceof HTMLOptGroupElement && parentElement.disabled),
    })),
  )

function indexOf(text: string, options: readonly Option[]): number {
  const plain = (other: string) => other.replace(/\s+/g, ' ').trim().toLowerCase()
  const ways: ((option: Option) => boolean)[] = [
    ({ value }) => value === text,
    ({ label }) => label === text.trim(),
    ({ label, value }) => plain(label) === plain(text) || plain(value) === plain(text),
  ]
  for (const way of ways) {
    const found = options.findIndex((option) => way(option) && !option.disabled)
    if (found >= 0) return found
  }
  if (options.some((option) => ways.some((way) => way(option))))
    throw new BrowserFailure(
      'not_enabled',
      `The option "${text.slice(0, 60)}" is disabled`,
      'Choose another one',
    )
  throw noOption(text, options)
}

function noOption(text: string, options: readonly Pick<Option, 'label'>[]): BrowserFailure {
  const offered = options.slice(0, 20).map(({ label }) => `"${label}"`)
  return new BrowserFailure(
    'element_not_found',
    `The list has no option "${text.slice(0, 60)}"`,
    `It offers ${offered.join(', ')}`,
  )
}

/** The list itself, or the one that belongs to a label or an option, or the only one inside. */
const listOf = (element: Element_): Promise<Element_ | null> =>
  askFor(element, (node) => {
    if (node instanceof HTMLSelectElement) return node
    if (node instanceof HTMLLabelElement)
      return node.control instanceof HTMLSelectElement ? node.control : null
    const inside = node.querySelectorAll('select')
    return node.closest('select') ?? (inside.length === 1 ? inside[0] : null)
  })

const drawn =
  '[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=radio], [role=treeitem], li, [class*=option i], [class*=item i]'

/** Opens it if no such option is seen yet, and presses the option. */
async function selectDrawn(stage: Stage, element: Element_, wanted: readonly string[]): Promise<void> {
  const frame = await frameOf(element)
  if (!frame || wanted.length === 0) throw notDrawn()
  for (const text of wanted) {
    const exact = new RegExp(`^\\s*${text.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`, 'i')
    const seen = async () => {
      const all = await frame.locator(drawn).filter({ hasText: exact, visible: true }).elementHandles()
      const last = all.at(-1) as Element_ | undefined
      if (last) notePage(last, stage.page)
      return last ?? null
    }
    const option = (await seen()) ?? (await opened(stage, element, seen))
    if (!option) throw notDrawn(text)
    await pressElement(stage, option)
  }
}

async function opened(
  stage: Stage,
  element: Element_,
  seen: () => Promise<Element_ | null>,
): Promise<Element_ | null> {
  await pressElement(stage, element)
  const until = Math.min(stage.until, Date.now() + openLimit)
  for (;;) {
    const option = await seen()
    if (option || Date.now() >= until) return option
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const notDrawn = (text?: string): BrowserFailure =>
  new BrowserFailure(
    'element_not_found',
    text === undefined
      ? 'The act says no value'
      : `This is no list of the browser, and it shows no option "${text.slice(0, 60)}"`,
    'Click it to open it, take a new snapshot, and click the option',
  )
