import type { StoredFile } from '../../../../runtime/files/schema.ts'

type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

const filesKey = (conversation: string | null) => `hearthd.draft-files.${conversation ?? 'new'}`
const key = (conversation: string | null) => `hearthd.draft.${conversation ?? 'new'}`

/** The unsent text of a conversation, stored in this browser; empty if storage is unavailable. */
export function readDraft(storage: DraftStorage, conversation: string | null): string {
  try {
    return storage.getItem(key(conversation)) ?? ''
  } catch {
    return ''
  }
}

export const keepDraft = (storage: DraftStorage, conversation: string | null, text: string): void =>
  keep(storage, key(conversation), text)

/** The uploaded files of the draft. */
export function readDraftFiles(storage: DraftStorage, conversation: string | null): StoredFile[] {
  try {
    const files: unknown = JSON.parse(storage.getItem(filesKey(conversation)) ?? '[]')
    return Array.isArray(files) ? files : []
  } catch {
    return []
  }
}

export const keepDraftFiles = (
  storage: DraftStorage,
  conversation: string | null,
  files: readonly StoredFile[],
): void => keep(storage, filesKey(conversation), files.length === 0 ? '' : JSON.stringify(files))

function keep(storage: DraftStorage, name: string, text: string): void {
  try {
    if (text === '') storage.removeItem(name)
    else storage.setItem(name, text)
  } catch {
    // Storage is full or forbidden: typing works without a draft.
  }
}
