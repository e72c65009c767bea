/** Minimum length of a piece as a fraction of the limit; avoids many small pieces. */
const leastFilled = 0.4

const separators = ['\n\n', '\n', '. ', ' ']

/** Where to cut a text so that its first piece has at most `room` characters: after a paragraph, line, sentence or word if possible. */
export function cutPoint(text: string, room: number): number {
  const window = text.slice(0, room)
  for (const separator of separators) {
    const at = window.lastIndexOf(separator)
    if (at >= room * leastFilled) return at + separator.length
  }
  // Not in the middle of a surrogate pair.
  const last = window.charCodeAt(window.length - 1)
  return last >= 0xd800 && last <= 0xdbff && window.length > 1 ? window.length - 1 : window.length
}
