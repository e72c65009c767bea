/** The text on one line and at most `most` characters long. */
export function clipped(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`
}

/** The first `most` characters, never half of one. */
export function cut(text: string, most: number): { text: string; truncated: boolean } {
  if (text.length <= most) return { text, truncated: false }
  const splits = /[\uD800-\uDBFF]/.test(text.charAt(most - 1))
  return { text: text.slice(0, splits ? most - 1 : most), truncated: true }
}
