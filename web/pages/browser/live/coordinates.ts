interface Size {
  width: number
  height: number
}

interface Box extends Size {
  left: number
  top: number
}

/** A point of the screen as one of the page that is shown in `box`, in CSS pixels of that page. */
export function pointOf(at: { clientX: number; clientY: number }, box: Box, page: Size) {
  const place = (from: number, length: number, whole: number) =>
    Math.round(Math.min(1, Math.max(0, from / (length || 1))) * Math.max(0, whole - 1))
  return {
    x: place(at.clientX - box.left, box.width, page.width),
    y: place(at.clientY - box.top, box.height, page.height),
  }
}

interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  isComposing: boolean
}

export const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta'])

/**
 * Whether a key is passed on as a key. What it writes in another alphabet, with a dead key or with an input method
 * arrives as text instead, and so does what is pasted.
 */
export function isKey({ key, ctrlKey, metaKey, altKey, isComposing }: Pressed): boolean {
  if (isComposing || /^(?:Dead|Process|Unidentified|AltGraph|Compose)$/.test(key)) return false
  if (key.toLowerCase() === 'v' && (ctrlKey || metaKey)) return false
  if (key.length > 1) return true
  return /^[\x20-\x7e]$/.test(key) && (!altKey || !ctrlKey)
}
