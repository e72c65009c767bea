import type { Action, ActionName } from '../../../api/browser.ts'

/** `type_text` as `Type text`. */
export const titleOf = (name: ActionName): string => {
  const words = name.replaceAll('_', ' ')
  return words === 'goto' ? 'Open' : words.charAt(0).toUpperCase() + words.slice(1)
}

/** What an act was aimed at, as far as its own words say. */
export function aimOf(action: Action, target: string | null = null): string {
  if (action.url) return action.url
  if (target) return `“${target}”`
  if (action.index !== undefined) return `element ${action.index}`
  if (action.selector) return action.selector
  if (action.ref) return action.ref
  if (action.x !== undefined && action.y !== undefined) return `${action.x}, ${action.y}`
  return ''
}

/** What was put in. */
export function wordsOf({ text, value, values, key, delta_x, delta_y, prompt_text }: Action): string {
  if (text !== undefined) return `“${text}”`
  if (value !== undefined) return `“${value}”`
  if (values !== undefined) return values.join(', ')
  if (key !== undefined) return key
  if (prompt_text !== undefined) return `“${prompt_text}”`
  return delta_x === undefined && delta_y === undefined ? '' : `by ${delta_x ?? 0}, ${delta_y ?? 0}`
}
