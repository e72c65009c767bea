export interface SnapshotLine {
  /** Null for a remark, such as how many were left out. */
  index: number | null
  text: string
}

/** `[12] Save changes (button)` by its number and its words. */
export function linesOf(snapshot: string): SnapshotLine[] {
  return snapshot
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, number, text] = /^\[(\d+)\] (.*)$/.exec(line) ?? []
      return number === undefined ? { index: null, text: line } : { index: Number(number), text: text ?? '' }
    })
}

/** Those that hold every word of what is looked for. */
export function found(lines: readonly SnapshotLine[], search: string): SnapshotLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return lines.filter(({ index, text }) => {
    const whole = `${index ?? ''} ${text}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}

/** Those whose words were not there before; a mere change of number is none. */
export function changed(lines: readonly SnapshotLine[], before: readonly SnapshotLine[]): SnapshotLine[] {
  const left = new Map<string, number>()
  for (const { text } of before) left.set(text, (left.get(text) ?? 0) + 1)
  return lines.filter(({ text }) => {
    const known = left.get(text) ?? 0
    left.set(text, known - 1)
    return known <= 0
  })
}
