/** The text with a capital first letter. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const abbreviations = /\b(?:url|id|ip|api|html|css|json|tls|starttls)\b/g

/** A label for a field that has none: `max_results` becomes `Max results`, `base_url` becomes `Base URL`. */
export const labelOf = (name: string): string =>
  capitalized(name.replaceAll(/[_-]/g, ' ').replace(abbreviations, (word) => word.toUpperCase()))

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
