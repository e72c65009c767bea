import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import type { TextInput } from '../../page-script/acts.ts'
import type { PageElement } from '../element.ts'
import { callDocument, worldsOf } from '../isolated-world.ts'
import { elementAtPoint, focusedElement, namesElement } from '../target.ts'
import { viewportPoint } from './mouse.ts'
import { pressElement } from './press.ts'
import { type Act, left, type Stage, targetOf } from './stage.ts'

/** Longer texts are inserted at once, like a paste. */
const maxKeys = 1_000

/**
 * Replaces the content of a field with real keys; without an element it types at the caret. Dates, times,
 * colours and ranges take their value as a whole, as HTML writes it: `2026-03-29`, `14:30`, `#ff0000`.
 */
export const typeText: Act = async (stage) => {
  const { page, action } = stage
  const text = action.text ?? action.value
  if (text === undefined)
    throw new BrowserFailure('not_enabled', 'The act has no text', 'Give it as text; "" empties the field')
  if (!namesElement(action)) return typeAtPlace(stage, text)
  const target = await targetOf(stage)
  const field = (await target.find('fieldOf')) ?? target
  if (await field.ask('isReadOnly'))
    throw new BrowserFailure(
      'not_enabled',
      'The field is disabled or read-only',
      'Click it if that opens a picker, such as a calendar; otherwise enable it first',
    )
  const input = await textInputOf(field)
  if (input === 'value') return setValue(stage, field, text)
  await pressElement(stage, field)
  if (input === 'field') await (await field.handle()).selectText({ timeout: left(stage) })
  if (input === 'editor') await field.ask('selectContents')
  if (text === '' && input !== 'keys') return page.keyboard.press('Delete')
  await sendKeys(stage, text)
  if (input === 'field') await refuseUnread(field, text)
}

async function textInputOf(field: PageElement): Promise<TextInput> {
  const input = await field.ask('textInput')
  if (!input.startsWith('use ')) return input
  throw new BrowserFailure('not_enabled', 'This element takes no text', `Use ${input.slice(4)}`)
}

/** At a point, or where the caret is. A button there would be pressed by the click, or by a space. */
async function typeAtPlace(stage: Stage, text: string): Promise<void> {
  const { page, action } = stage
  const point = action.x === undefined || action.y === undefined ? null : viewportPoint(page, action)
  const element = await (point ? elementAtPoint(page, point) : focusedElement(page))
  if (element) await textInputOf((await element.find('fieldOf')) ?? element)
  if (point) await page.mouse.click(point.x, point.y)
  await sendKeys(stage, text)
}

const sendKeys = ({ page: { keyboard } }: Stage, text: string): Promise<void> =>
  text.length > maxKeys ? keyboard.insertText(text) : keyboard.type(text)

async function setValue(stage: Stage, field: PageElement, text: string): Promise<void> {
  const { type, value: before } = await field.ask('fieldState')
  const value = htmlValue(type, text.trim())
  const handle = await field.handle()
  await field.verify()
  const accepted = await handle.fill(value, { timeout: left(stage) }).then(
    async () => isValue(type, (await field.ask('fieldState')).value, value),
    (thrown: Error) => {
      if (!/Malformed/i.test(thrown.message)) throw thrown
      return false
    },
  )
  if (accepted) return
  if ((await field.ask('fieldState')).value !== before)
    await handle.fill(before, { timeout: left(stage) }).catch(() => undefined)
  throw notAccepted(text)
}

/** A range rounds to its steps; a field that cannot parse a value is emptied or keeps its own. */
function isValue(type: string, value: string, text: string): boolean {
  if (type === 'color') return value.toLowerCase() === text
  if (type === 'range') return Math.abs(Number(value) - Number(text)) <= Math.max(1, Math.abs(Number(text)) * 0.05)
  return value !== '' || text === ''
}

const notAccepted = (text: string): BrowserFailure =>
  new BrowserFailure(
    'not_enabled',
    `The field does not accept "${text.slice(0, 60)}"`,
    'Write dates as 2026-03-29, times as 14:30, months as 2026-03, weeks as 2026-W13, colours as #ff0000, numbers as 12.5',
  )

/** A number field ignores what is not a number. */
async function refuseUnread(field: PageElement, text: string): Promise<void> {
  const state = await field.ask('fieldState').catch(() => null)
  if (state?.type === 'number' && state.value === '' && text.trim() !== '') throw notAccepted(text)
}

/** Converts dates, times and colours as people write them to what HTML fields accept. */
function htmlValue(type: string, text: string): string {
  if (type === 'color') return htmlColour(text)
  if (type === 'date') return htmlDate(text)
  if (type === 'time') return htmlTime(text)
  if (type !== 'datetime-local') return text
  const [, date = '', time = ''] = /^([^\sT,]+)[\sT,]+([^\sT,].*)$/.exec(text) ?? []
  return date === '' ? text : `${htmlDate(date)}T${htmlTime(time)}`
}

function htmlDate(text: string): string {
  const [, month = '', day = '', year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? []
  return year ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : text
}

function htmlTime(text: string): string {
  const [, hours, minutes, seconds = '', half] = /^(\d{1,2}):(\d{2})(:\d{2})?\s*([ap])\.?m\.?$/i.exec(text) ?? []
  if (hours === undefined) return text.replace(/^(\d):/, '0$1:')
  const hour = (Number(hours) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0)
  return `${String(hour).padStart(2, '0')}:${minutes}${seconds}`
}

function htmlColour(text: string): string {
  const colour = text.toLowerCase().replace(/^#?(?=(?:[0-9a-f]{3}|[0-9a-f]{6})$)/, '#')
  return /^#[0-9a-f]{3}$/.test(colour) ? colour.replace(/[0-9a-f]/g, '$&$&') : colour
}

const aliases: Readonly<Record<string, string>> = {
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
  ctrl: 'Control',
  cmd: 'Meta',
  command: 'Meta',
  option: 'Alt',
  spacebar: 'Space',
}
const keyNames =
  'Enter Tab Escape Space Backspace Delete Insert Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight Control Shift Alt Meta ControlOrMeta'
const byLowerCase = new Map(keyNames.split(' ').map((name) => [name.toLowerCase(), name]))

const keyName = (part: string): string => byLowerCase.get(part.toLowerCase()) ?? aliases[part.toLowerCase()] ?? part

/** One key with its modifiers, or several separated by spaces: `ArrowDown ArrowDown Enter`. */
function keysOf(text: string): string[] {
  if (text.trim() === '') return text === '' ? [''] : ['Space']
  return text
    .trim()
    .split(/\s+/)
    .map((key) => (key.length === 1 ? key : key.replace(/\+\+$/, '+Plus').split('+').map(keyName).join('+')))
    .map((key) => key.replace(/\bPlus$/, '+'))
}

export const pressKey: Act = async (stage) => {
  const { page, action } = stage
  if (namesElement(action)) {
    const element = await targetOf(stage)
    if (!(await element.ask('focus'))) await pressElement(stage, element)
    else await element.verify()
  }
  const keys = action.key ?? action.text ?? ''
  try {
    for (const key of keysOf(keys)) await page.keyboard.press(key)
  } catch (thrown) {
    throw unknownKey(thrown, keys)
  }
}

export function unknownKey(thrown: unknown, key: string): unknown {
  if (!/Unknown key/i.test((thrown as Error).message)) return thrown
  return new BrowserFailure(
    'element_not_found',
    `There is no key "${key.slice(0, 40)}"`,
    'Use key names: Enter, Tab, Escape, ArrowDown, F5, a, Control+A',
  )
}

export const focus: Act = async (stage) => {
  if (await (await targetOf(stage)).ask('focus')) return
  throw new BrowserFailure('not_enabled', 'This element cannot be focused', 'Click it instead')
}

export const blur: Act = async (stage) => {
  const { page, action } = stage
  if (namesElement(action)) return (await targetOf(stage)).ask('blur')
  const worlds = [...((await worldsOf(page))?.all.values() ?? [])]
  await Promise.all(worlds.map((world) => callDocument(world, 'blurActive').catch(() => undefined)))
}
