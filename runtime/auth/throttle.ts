import type { Context } from '../context.ts'
import { rateLimited } from '../fault.ts'
import { limiter } from './limiter.ts'

/** Refuses an address with too many failures, before any hashing or lookup. */
export function refuseLimited(context: Context): void {
  const wait = limiter(context).waitSeconds(context.caller.address, context.clock.now())
  if (wait > 0) throw rateLimited(wait)
}

export function countFailure(context: Context): void {
  limiter(context).fail(context.caller.address, context.clock.now())
}

/**
 * Runs the slow check of a guessable secret. Checks in progress count as failures,
 * so that concurrent guesses gain nothing over sequential ones.
 * @returns null if the secret was wrong; the failure has been counted
 */
export async function tryOnce<Result>(context: Context, check: () => Promise<Result | null>): Promise<Result | null> {
  refuseLimited(context)
  const guesses = limiter(context)
  guesses.begin(context.caller.address)
  try {
    const result = await check()
    if (result === null) countFailure(context)
    return result
  } finally {
    guesses.end(context.caller.address)
  }
}
