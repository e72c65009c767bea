import { KeyedLock } from '../keyed-lock.ts'
import { processState } from '../process-state.ts'

/** The file state of one process: which contents are in use, and how many bytes are incoming. */
export class FilesState {
  readonly meter = new Meter()
  /** One at a time per content, so that nothing is removed that was just stored again. */
  readonly contents = new KeyedLock()
}

/**
 * Counts stored and incoming bytes, so that concurrent uploads never exceed the quota together. The stored
 * bytes are read again when an upload starts while no other is active.
 */
export class Meter {
  #uploads = 0
  #used = 0
  #stored: Promise<void> | null = null

  async open(readStored: () => Promise<number>): Promise<Share> {
    this.#uploads += 1
    this.#stored ??= readStored().then((bytes) => {
      this.#used = bytes
    })
    try {
      await this.#stored
    } catch (thrown) {
      this.#close(0)
      throw thrown
    }
    return this.#share()
  }

  /** Records that stored bytes were deleted. */
  free(bytes: number): void {
    this.#used -= bytes
  }

  #share(): Share {
    let taken = 0
    return {
      take: (bytes, quota) => {
        if (this.#used + bytes > quota) return false
        this.#used += bytes
        taken += bytes
        return true
      },
      keep: () => {
        taken = 0
      },
      close: () => this.#close(taken),
    }
  }

  #close(taken: number): void {
    this.#used -= taken
    this.#uploads -= 1
    if (this.#uploads === 0) this.#stored = null
  }
}

/** The bytes of one upload. */
export interface Share {
  /** Returns false if they do not fit. */
  take(bytes: number, quota: number): boolean
  /** Keeps what was taken: it is stored now, so `close` does not release it. */
  keep(): void
  close(): void
}

export const filesState = processState(() => new FilesState())
