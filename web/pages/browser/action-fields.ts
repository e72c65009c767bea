import type { Action, ActionName } from '../../../runtime/tabs/schema.ts'
import { labelOf } from '../../parts/text.ts'

/** The fields of an action's form. `element` is a number of the snapshot, or a selector. */
export type ActionField = 'url' | 'element' | 'text' | 'value' | 'key' | 'deltas' | 'accept' | 'to'

/** All actions, the most used first. */
export const fieldsOf: Record<ActionName, readonly ActionField[]> = {
  click: ['element'],
  double_click: ['element'],
  right_click: ['element'],
  type_text: ['element', 'text'],
  press_key: ['element', 'key'],
  select_option: ['element', 'value'],
  check: ['element'],
  uncheck: ['element'],
  hover: ['element'],
  focus: ['element'],
  blur: ['element'],
  scroll: ['element', 'deltas'],
  scroll_to_element: ['element'],
  drag_and_drop: ['element', 'to'],
  goto: ['url'],
  go_back: [],
  go_forward: [],
  reload: [],
  handle_dialog: ['accept', 'text'],
  wait_for_selector: ['element'],
  wait_for_navigation: [],
  wait_for_network_idle: [],
}

export const emptyValues = {
  url: '',
  element: '',
  to: '',
  text: '',
  value: '',
  key: '',
  delta_x: 0,
  delta_y: 400,
  accept: true,
}

export type ActionValues = typeof emptyValues

/** `12` and `[12]` are numbers of the snapshot; anything else is a selector. */
export function elementOf(text: string): Pick<Action, 'index' | 'selector'> {
  const trimmed = text.trim()
  const [, number] = /^\[?(\d+)\]?$/.exec(trimmed) ?? []
  if (number !== undefined) return { index: Number(number) }
  return trimmed ? { selector: trimmed } : {}
}

/** The action with the values of its own fields only. */
export function actionOf(action: ActionName, values: ActionValues): Action {
  const { url, element, to, text, value, key, delta_x, delta_y, accept } = values
  const members: Record<ActionField, Partial<Action>> = {
    url: { url: url.trim() },
    element: elementOf(element),
    to: { to: elementOf(to) },
    text: action === 'handle_dialog' ? text && { prompt_text: text } : { text },
    value: { value },
    key: { key: key.trim() },
    deltas: { delta_x, delta_y },
    accept: { accept },
  } as Record<ActionField, Partial<Action>>
  return Object.assign({ action }, ...fieldsOf[action].map((field) => members[field]))
}

/** `type_text` as `Type text`. */
export const titleOf = (name: ActionName): string => (name === 'goto' ? 'Open' : labelOf(name))

/** The target of an action. */
export function targetOf(action: Action, target: string | null = null): string {
  const { url, index, selector, ref, x, y } = action
  if (url) return url
  if (target) return `“${target}”`
  if (index !== undefined) return `element ${index}`
  return selector || ref || (x !== undefined && y !== undefined ? `${x}, ${y}` : '')
}

/** What an action entered, pressed or scrolled. */
export function inputOf(action: Action): string {
  const { text, value, values, key, delta_x, delta_y, prompt_text } = action
  const quoted = text ?? value ?? prompt_text
  if (values !== undefined) return values.join(', ')
  if (key !== undefined) return key
  if (quoted !== undefined) return `“${quoted}”`
  return delta_x === undefined && delta_y === undefined ? '' : `by ${delta_x ?? 0}, ${delta_y ?? 0}`
}
