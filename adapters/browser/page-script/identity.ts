/** What a reader is shown of an element. */
export interface Identity {
  kind: string
  label: string
  /** The text around it, if others have the same kind and label. */
  row: string
}

/** Whether an element still is what was shown. Digits count, but not those of a running clock. */
export function isSame(before: Identity, now: Identity): boolean {
  if (before.kind === 'text') return true
  return (
    before.kind === now.kind && lasting(before.label) === lasting(now.label) && lasting(before.row) === lasting(now.row)
  )
}

const lasting = (text: string): string =>
  text.replace(/^.*at -?\d+,-?\d+ size \d+x\d+$/, '').replace(/\b\d+:\d\d:\d\d\b|\b\d+\s?(?:s|sec|seconds?)\b/gi, '#')
