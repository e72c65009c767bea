import type { StreamErrorCode } from '../schema.ts'

/** A rule of ours ended the turn. */
export class TurnError extends Error {
  override name = 'TurnError'
  readonly code: StreamErrorCode
  constructor(code: StreamErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
