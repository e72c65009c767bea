import { textField } from '../outcome.ts'
import { similarWords } from '../text.ts'

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']

/** The row that a user means: by place, by its whole text, by a part of it, or by at least half of the words. */
export function pick(
  wanted: string,
  items: readonly Record<string, unknown>[],
  key: string,
): Record<string, unknown> | undefined {
  const name = wanted
    .toLowerCase()
    .replace(/^["']|["']$/g, '')
    .replace(/^(?:the|my|number|no\.?|#)\s+/, '')
    .replace(/ one$/, '')
    .trim()
  const place = ORDINALS.indexOf(name)
  if (place >= 0) return items[place]
  if (name === 'last') return items.at(-1)
  if (/^#?\d+$/.test(name) && !items.some((item) => textField(item, 'id') === name))
    return items[Number(name.replace('#', '')) - 1]
  const texts = items.map((item) => textField(item, key).toLowerCase())
  const exact = items.find(
    (item, index) => texts[index] === name || textField(item, 'id').toLowerCase() === name,
  )
  const partial = items.find((_, index) => name.length > 2 && texts[index]?.includes(name))
  return exact ?? partial ?? closest(name, items, texts)
}

function closest(
  name: string,
  items: readonly Record<string, unknown>[],
  texts: readonly string[],
): Record<string, unknown> | undefined {
  const scores = texts.map((text) => similarWords(name, text))
  const best = Math.max(0, ...scores)
  return best >= 0.5 ? items[scores.indexOf(best)] : undefined
}
