import { capitalized, labelOf } from '../../runtime/label.ts'

export { capitalized, labelOf }

/** The lines of a text that are not empty. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A name for what a text describes: its first sentence, without the number or dash of a list. */
export function nameFrom(text: string): string {
  const [first = ''] = text
    .trim()
    .replace(/^(?:[-*#]+|\d+[.)])\s+/, '')
    .split(/[.!?:]\s|\n/)
  return capitalized(first.length > 60 ? `${first.slice(0, 57).trimEnd()}…` : first)
}
