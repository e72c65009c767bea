/** What a reader is shown of an element. */
export interface Identity {
  kind: string
  label: string
  /** The text around it, if others have the same kind and label. */
  row: string
}

/** Whether an element still is what was shown. Digits count, but not those of a running clock. */
export function isSame(shown: Identity, now: Identity): boolean {
  if (shown.kind === 'text') return true
  return (
    shown.kind === now.kind &&
    lasting(shown.label) === lasting(now.label) &&
    lasting(shown.row) === lasting(now.row)
  )
}

const lasting = (text: string): string =>
  text
    .replace(/^.*at -?\d+,-?\d+ size \d+x\d+$/, '')
    .replace(/\b\d+:\d\d:\d\d\b|\b\d+\s?(?:s|sec|seconds?)\b/gi, '#')
