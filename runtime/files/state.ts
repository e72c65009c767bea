import { processState } from '../process-state.ts'

/** What one process knows of the files: who works on which content, and how much is coming in. */
export class FilesState {
  readonly meter = new Meter()
  readonly #busy = new Map<string, Promise<unknown>>()

  /** Runs one after the other for the same content, so that nobody removes what another has just stored again. */
  async alone<Result>(sha256: string, run: () => Promise<Result>): Promise<Result> {
    const before = this.#busy.get(sha256) ?? Promise.resolve()
    const mine = before.then(run, run)
    this.#busy.set(sha256, mine)
    try {
      return await mine
    } finally {
      if (this.#busy.get(sha256) === mine) this.#busy.delete(sha256)
    }
  }
}

/**
 * Bytes stored and bytes that come in now, so that uploads at the same time do not pass the quota together, not even
 * for a moment. What is stored is read anew whenever nothing comes in.
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

  /** Stored bytes are gone. */
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
  /** False when they do not fit any more. */
  take(bytes: number, quota: number): boolean
  /** What was taken is stored now, so `close` does not give it back. */
  keep(): void
  close(): void
}

export const filesState = processState(() => new FilesState())
