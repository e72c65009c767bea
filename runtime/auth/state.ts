import type { Secrets } from '../ports/secrets.ts'
import { processState } from '../process-state.ts'

/** Cached credential state of one process, so that most requests need one indexed read and no write. */
export class AuthState {
  /** Bootstrap mode never returns, so its end is cached. */
  bootstrap_ended = false
  /** Setup calls in progress. Calls that arrive in the meantime get a 409, like calls that lose the race. */
  setups = 0
  /** When this process last stored a key's use, in milliseconds since the epoch, by key id. */
  readonly key_uses = new Map<string, number>()
  #decoy: Promise<string> | undefined

  /** A dummy password hash, checked for unknown users so that timing does not reveal whether a user exists. */
  decoyHash(secrets: Secrets): Promise<string> {
    this.#decoy ??= secrets.hashPassword(secrets.random(16))
    return this.#decoy
  }
}

export const authState = processState(() => new AuthState())
