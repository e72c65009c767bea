import type { Action, ActionName } from '../../../api/browser.ts'

/** What an act is told: `element` is a number of the snapshot, or a selector. */
export type ActField = 'url' | 'element' | 'text' | 'value' | 'key' | 'deltas' | 'accept' | 'to'

/** Every act, in the order of their use. */
export const fieldsOf: Record<ActionName, readonly ActField[]> = {
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

export interface Given {
  url: string
  element: string
  to: string
  text: string
  value: string
  key: string
  delta_x: number
  delta_y: number
  accept: boolean
}

export const nothingGiven: Given = {
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

/** `12` and `[12]` are numbers of the snapshot; anything else is a selector. */
export function elementOf(text: string): Pick<Action, 'index' | 'selector'> {
  const trimmed = text.trim()
  const [, number] = /^\[?(\d+)\]?$/.exec(trimmed) ?? []
  if (number !== undefined) return { index: Number(number) }
  return trimmed ? { selector: trimmed } : {}
}

export function actionOf(name: ActionName, given: Given): Action {
  const fields = fieldsOf[name]
  const { url, element, to, text, value, key, delta_x, delta_y, accept } = given
  const dialog = name === 'handle_dialog'
  return {
    action: name,
    ...(fields.includes('url') && { url: url.trim() }),
    ...(fields.includes('element') && elementOf(element)),
    ...(fields.includes('to') && { to: elementOf(to) }),
    ...(fields.includes('text') && !dialog && { text }),
    ...(dialog && text && { prompt_text: text }),
    ...(fields.includes('value') && { value }),
    ...(fields.includes('key') && { key: key.trim() }),
    ...(fields.includes('deltas') && { delta_x, delta_y }),
    ...(fields.includes('accept') && { accept }),
  }
}
