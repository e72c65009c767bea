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
  readonly #known = new Map<string, string>()

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
    const known = this.#known.get(path)
    const found = identityOf(path)
    if (known === undefined && found !== null) this.#known.set(path, found)
    return known !== undefined && known !== found
  }
}
