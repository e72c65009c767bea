type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const key = (conversation: string | null) => `hearthd.draft.${conversation ?? 'new'}`

/** What was typed and not yet sent, kept per conversation on this device. A full or forbidden storage keeps none. */
export function readDraft(shelf: Shelf, conversation: string | null): string {
  try {
    return shelf.getItem(key(conversation)) ?? ''
  } catch {
    return ''
  }
}

export function keepDraft(shelf: Shelf, conversation: string | null, text: string): void {
  try {
    if (text === '') shelf.removeItem(key(conversation))
    else shelf.setItem(key(conversation), text)
  } catch {
    // Typing must go on without a draft.
  }
}
