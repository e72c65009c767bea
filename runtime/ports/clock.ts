/** The only source of time. Tests advance it by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch, by the wall clock. */
  now(): number
  /** Resolves after `milliseconds`; rejects with the signal's reason if aborted first. */
  after(milliseconds: number, signal?: AbortSignal): Promise<void>
}
