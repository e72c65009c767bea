import { statSync } from 'node:fs'
import { StoreRemoved } from '../../runtime/ports/sql.ts'

const identityOf = (path: string): string | null => {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}` : null
}

/**
 * Notices that an open file was removed or replaced: writing to it still succeeds, and all of it would be lost.
 * Watches the files from the moment that they exist.
 */
export class FileWatch {
  readonly #paths: readonly string[]
  readonly #identities = new Map<string, string>()

  constructor(paths: readonly string[]) {
    this.#paths = paths
    this.check()
  }

  /** Throws `StoreRemoved` until every file is back. */
  check(): void {
    const path = this.missing()
    if (path !== null) throw new StoreRemoved(`${path} was removed or replaced`)
  }

  missing(): string | null {
    return this.#paths.find((path) => this.#isGone(path)) ?? null
  }

  #isGone(path: string): boolean {
    const before = this.#identities.get(path)
    const now = identityOf(path)
    if (before === undefined && now !== null) this.#identities.set(path, now)
    return before !== undefined && before !== now
  }
}
