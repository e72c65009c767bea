export interface SnapshotLine {
  /** Null for a remark, such as how many elements were left out. */
  index: number | null
  text: string
}

/** Parses lines such as `[12] Save changes (button)`. */
export function linesOf(snapshot: string): SnapshotLine[] {
  return snapshot
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, number, text] = /^\[(\d+)\] (.*)$/.exec(line) ?? []
      return number === undefined ? { index: null, text: line } : { index: Number(number), text: text ?? '' }
    })
}

/** The lines that contain every word of `search`. */
export function searchLines(lines: readonly SnapshotLine[], search: string): SnapshotLine[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return lines.filter(({ index, text }) => {
    const line = `${index ?? ''} ${text}`.toLowerCase()
    return words.every((word) => line.includes(word))
  })
}

/** The lines whose text is not in `before`. A changed number alone is not a change. */
export function changedLines(lines: readonly SnapshotLine[], before: readonly SnapshotLine[]): SnapshotLine[] {
  const left = new Map<string, number>()
  for (const { text } of before) left.set(text, (left.get(text) ?? 0) + 1)
  return lines.filter(({ text }) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}
