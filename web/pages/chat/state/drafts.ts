import type { StoredFile } from '../../../../runtime/files/schema.ts'
import { ownKey } from '../../../api/session.ts'

type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

export interface Draft {
  text: string
  files: readonly StoredFile[]
}

/** Where a message is written, and who writes it: the next person at this browser does not see it. */
export interface Place {
  user: string | undefined
  /** Null for the conversation that does not exist yet. */
  conversation: string | null
}

const keyOf = (kind: 'draft' | 'unsent', { user, conversation }: Place) => ownKey(user, kind, conversation ?? 'new')

/**
 * The messages of this browser that the daemon has not stored: what is being typed, and what is being sent.
 */
export class Drafts {
  readonly #storage: DraftStorage
  /** The messages that this page is sending. */
  readonly #sending = new Set<string>()

  constructor(storage: DraftStorage) {
    this.#storage = storage
  }

  /** What was typed, after the messages that could not be sent. */
  take(place: Place): Draft {
    const [draft] = this.#read(keyOf('draft', place))
    return joined([...this.takeUnsent(place), ...(draft ? [draft] : [])])
  }

  keep(place: Place, draft: Draft): void {
    this.#write(keyOf('draft', place), draft.text === '' && draft.files.length === 0 ? [] : [draft])
  }

  /** Keeps a message until `send` resolves, even if the page is closed before. */
  async send(place: Place, draft: Draft, send: () => Promise<void>): Promise<void> {
    const key = keyOf('unsent', place)
    const id = crypto.randomUUID()
    this.#sending.add(id)
    this.#write(key, [...this.#read(key), { ...draft, id }])
    try {
      await send()
      this.#write(
        key,
        this.#read(key).filter((one) => one.id !== id),
      )
    } finally {
      this.#sending.delete(id)
    }
  }

  /** Removes and returns the messages whose sending failed or ended with the page. */
  takeUnsent(place: Place): Draft[] {
    const key = keyOf('unsent', place)
    const { sending = [], unsent = [] } = Object.groupBy(this.#read(key), ({ id = '' }) =>
      this.#sending.has(id) ? 'sending' : 'unsent',
    )
    this.#write(key, sending)
    return unsent
  }

  /** Empty if storage is unavailable. */
  #read(key: string): (Draft & { id?: string })[] {
    try {
      const stored: unknown = JSON.parse(this.#storage.getItem(key) ?? '[]')
      return Array.isArray(stored) ? stored : []
    } catch {
      return []
    }
  }

  #write(key: string, drafts: readonly Draft[]): void {
    try {
      if (drafts.length === 0) this.#storage.removeItem(key)
      else this.#storage.setItem(key, JSON.stringify(drafts))
    } catch {
      // Storage is full or forbidden: typing works, but no draft is kept.
    }
  }
}

export const joined = (drafts: readonly Draft[]): Draft => ({
  text: drafts
    .map(({ text }) => text)
    .filter(Boolean)
    .join('\n'),
  files: drafts.flatMap(({ files }) => files),
})
