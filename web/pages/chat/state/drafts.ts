import type { StoredFile } from '../../../api/files.ts'

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const filesKey = (conversation: string | null) => `hearthd.draft-files.${conversation ?? 'new'}`
const key = (conversation: string | null) => `hearthd.draft.${conversation ?? 'new'}`

/** What was typed and not yet sent, kept per conversation on this device. A full or forbidden storage keeps none. */
export function readDraft(shelf: Shelf, conversation: string | null): string {
  try {
    return shelf.getItem(key(conversation)) ?? ''
  } catch {
    return ''
  }
}

export const keepDraft = (shelf: Shelf, conversation: string | null, text: string): void =>
  keep(shelf, key(conversation), text)

/** The files that were attached to it, as far as they had arrived. */
export function readDraftFiles(shelf: Shelf, conversation: string | null): StoredFile[] {
  try {
    const files: unknown = JSON.parse(shelf.getItem(filesKey(conversation)) ?? '[]')
    return Array.isArray(files) ? files : []
  } catch {
    return []
  }
}

export const keepDraftFiles = (
  shelf: Shelf,
  conversation: string | null,
  files: readonly StoredFile[],
): void => keep(shelf, filesKey(conversation), files.length === 0 ? '' : JSON.stringify(files))

function keep(shelf: Shelf, name: string, text: string): void {
  try {
    if (text === '') shelf.removeItem(name)
    else shelf.setItem(name, text)
  } catch {
    // Typing must go on without a draft.
  }
}
