import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import type { Option } from '../../page-script/acts.ts'
import { pause } from '../../time-limit.ts'
import { type Handle, PageElement } from '../element.ts'
import { pressElement } from './press.ts'
import { type Act, left, type Stage, targetOf } from './stage.ts'

/**
 * Checks or unchecks an element, including custom switches and boxes: presses it if needed, then verifies the
 * result.
 */
const setChecked =
  (checked: boolean): Act =>
  async (stage) => {
    const element = await targetOf(stage)
    const before = await element.ask('isChecked')
    if (before === null) throw new BrowserFailure('not_enabled', 'This element cannot be checked', 'Use click')
    if (before === checked) return
    if (await element.ask('isDisabled'))
      throw new BrowserFailure('not_enabled', 'The element is disabled', 'Enable it first')
    await pressElement(stage, element)
    if ((await awaitChecked(stage, element, checked)) === checked) return
    throw new BrowserFailure(
      'not_enabled',
      checked ? 'It was clicked but is not checked' : 'It was clicked but is still checked',
      checked ? 'The page may refuse it; take a new snapshot' : 'To uncheck a radio button, choose another one',
    )
  }

export const check = setChecked(true)
export const uncheck = setChecked(false)

/** The page may take a moment to show the new state. */
async function awaitChecked(stage: Stage, element: PageElement, checked: boolean): Promise<boolean | null> {
  const until = Math.min(stage.until, Date.now() + 1_000)
  for (;;) {
    // If the element is gone, the click had its effect.
    const now = await element.ask('isChecked').catch(() => checked)
    if (now === checked || Date.now() >= until) return now
    await pause(50)
  }
}

/** Milliseconds for a custom list to open. */
const openLimit = 2_000
const retryEvery = 50

/** An option of a native list cannot be clicked, so it is chosen in its list. */
export async function chooseOption(stage: Stage, element: PageElement): Promise<void> {
  const list = await element.find('listOf')
  const option = await element.ask('asOption')
  if (!list || !option) throw noList()
  if (option.disabled) throw new BrowserFailure('not_enabled', 'This option is disabled', 'Choose another one')
  const options = (await list.ask('isMultiple')) ? await list.ask('optionsOf') : []
  const others = options.filter(({ selected }) => selected).map(({ index }) => index)
  await choose(stage, list, [...new Set([...others, option.index])])
}

const choose = async (stage: Stage, list: PageElement, indices: number[]): Promise<unknown> => {
  const handle = await list.handle()
  await list.verify()
  return handle.selectOption(
    indices.map((index) => ({ index })),
    { timeout: left(stage) },
  )
}

/** By value or label. A custom list is opened, and the option pressed. */
export const selectOption: Act = async (stage) => {
  const { values, value, text } = stage.action
  const choices = values ?? (value !== undefined ? [value] : text !== undefined ? [text] : null)
  const element = await targetOf(stage)
  if (choices === null && (await element.ask('asOption'))) return chooseOption(stage, element)
  const list = await element.find('listOf')
  if (!list) return selectDrawn(stage, element, choices ?? [])
  const options = await list.ask('optionsOf')
  if (choices === null) throw noOption('', options)
  await choose(
    stage,
    list,
    choices.map((one) => indexOf(one, options)),
  )
}

function indexOf(text: string, options: readonly Option[]): number {
  const plain = (other: string) => other.replace(/\s+/g, ' ').trim().toLowerCase()
  const tests: ((option: Option) => boolean)[] = [
    ({ value }) => value === text,
    ({ label }) => label === text.trim(),
    ({ label, value }) => plain(label) === plain(text) || plain(value) === plain(text),
  ]
  const matches = tests.flatMap((test) => options.filter(test))
  const enabled = matches.find(({ disabled }) => !disabled)
  if (enabled) return enabled.index
  if (matches.length === 0) throw noOption(text, options)
  throw new BrowserFailure('not_enabled', `The option "${text.slice(0, 60)}" is disabled`, 'Choose another one')
}

function noOption(text: string, options: readonly Option[]): BrowserFailure {
  const offered = options.slice(0, 20).map(({ label }) => `"${label}"`)
  return new BrowserFailure(
    'element_not_found',
    `The list has no option "${text.slice(0, 60)}"`,
    `It offers ${offered.join(', ')}`,
  )
}

const drawnOptions =
  '[role=option], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=radio], [role=treeitem], li, [class*=option i], [class*=item i]'

/** Opens the list unless the option is visible already, and presses the option. */
async function selectDrawn(stage: Stage, element: PageElement, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) throw noList()
  const { frame } = await element.locate()
  for (const text of texts) {
    const exact = new RegExp(`^\\s*${RegExp.escape(text.trim())}\\s*$`, 'i')
    const visibleOption = async () => {
      const all = await frame.locator(drawnOptions).filter({ hasText: exact, visible: true }).elementHandles()
      const last = all.at(-1) as Handle | undefined
      return last ? PageElement.of(stage.page, last) : null
    }
    const option = (await visibleOption()) ?? (await openFor(stage, element, visibleOption))
    if (!option) throw noList(text)
    await pressElement(stage, option)
  }
}

async function openFor(
  stage: Stage,
  element: PageElement,
  visibleOption: () => Promise<PageElement | null>,
): Promise<PageElement | null> {
  await pressElement(stage, element)
  const until = Math.min(stage.until, Date.now() + openLimit)
  for (;;) {
    const option = await visibleOption()
    if (option || Date.now() >= until) return option
    await pause(retryEvery)
  }
}

const noList = (text?: string): BrowserFailure =>
  new BrowserFailure(
    'element_not_found',
    text === undefined
      ? 'The act has no value'
      : `This is not a native list, and it shows no option "${text.slice(0, 60)}"`,
    'Click it to open it, take a new snapshot, and click the option',
  )
