import type { Secrets } from '../ports/secrets.ts'
import { processState } from '../process-state.ts'

/** What one process remembers about credentials, so that most requests cost one indexed read and no write. */
export class AuthState {
  /** Bootstrap mode never comes back, so once seen its end needs no further look. */
  bootstrap_ended = false
  /** Setups under way. Who comes while they still are has lost a race, and is told so like the others in it. */
  setups = 0
  /** Milliseconds since the epoch at which this process last noted the use of a key. */
  readonly key_uses = new Map<string, number>()
  #decoy: Promise<string> | undefined

  /** A password hash that belongs to nobody: checking it takes as long as checking a real one. */
  decoyHash(secrets: Secrets): Promise<string> {
    this.#decoy ??= secrets.hashPassword(secrets.random(16))
    return this.#decoy
  }
}

export const authState = processState(() => new AuthState())
