import type { Aside } from './aside.ts'

/** Transactions, and milliseconds of them, after which the log is worth copying: about a thousand pages. */
const worthCopying = { transactions: 200, milliseconds: 150 }

/** What has been written since the log was copied last. */
export interface Written {
  transactions: number
  milliseconds: number
}

export const isDue = ({ transactions, milliseconds }: Written): boolean =>
  transactions >= worthCopying.transactions || milliseconds >= worthCopying.milliseconds

/**
 * Copies the write-ahead log into the database file beside the event loop, so that no commit has to. What was written
 * while it copied is copied while writers wait for a moment: only a log that is copied to its end begins anew.
 */
export class LogCopier {
  readonly #aside: Pick<Aside, 'copyLog'>
  readonly #alone: (work: () => Promise<unknown>) => Promise<unknown>
  #written: Written = { transactions: 0, milliseconds: 0 }
  #copying: Promise<void> | undefined

  /** @param alone runs work that no writer may stand beside */
  constructor(aside: Pick<Aside, 'copyLog'>, alone: (work: () => Promise<unknown>) => Promise<unknown>) {
    this.#aside = aside
    this.#alone = alone
  }

  /** Tells of a transaction that took so many milliseconds. */
  wrote(milliseconds: number): void {
    const { transactions, milliseconds: before } = this.#written
    this.#written = { transactions: transactions + 1, milliseconds: before + milliseconds }
    if (this.#copying || !isDue(this.#written)) return
    this.#copying = this.#copy().finally(() => {
      this.#copying = undefined
    })
  }

  /** When what is being copied is copied. */
  async settled(): Promise<void> {
    await this.#copying
  }

  async #copy(): Promise<void> {
    this.#written = { transactions: 0, milliseconds: 0 }
    try {
      await this.#aside.copyLog('PASSIVE')
      if (this.#written.transactions > 0) await this.#alone(() => this.#aside.copyLog('PASSIVE'))
    } catch {
      // A full disk, or another process in the way: the next one copies it, or a commit does.
    }
  }
}
