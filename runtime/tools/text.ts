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
