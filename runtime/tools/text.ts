/** The text on one line, at most `max` characters long. */
export function clipped(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`
}

/** The first `max` characters, without splitting one. */
export function cut(text: string, max: number): { text: string; truncated: boolean } {
  if (text.length <= max) return { text, truncated: false }
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(max - 1))
  return { text: text.slice(0, splits ? max - 1 : max), truncated: true }
}

/**
 * Untrusted text that can be quoted in a form without imitating it: on one line, without control, direction or
 * invisible characters or the quotation marks around it, at most `max` characters long and cut at a word.
 */
export function quotable(text: string, max: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[“”„‟]/g, '"')
    .trim()
  if (line.length <= max) return line
  const start = cut(line, max - 1).text
  const space = start.lastIndexOf(' ')
  return `${space > max / 2 ? start.slice(0, space) : start}…`
}

/** Ends with its full stop, whatever ended it. */
export const firstSentence = (text: string): string =>
  (/^.*?[.!?:;](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/[:;]$/, '.')
