import type { Context } from '../context.ts'
import { rateLimited } from '../fault.ts'
import { limiter } from './limiter.ts'

/** Refuses an address that failed too often, before anything is hashed or looked up. */
export function refuseLimited(context: Context): void {
  const wait = limiter(context).waitSeconds(context.caller.address, context.clock.now())
  if (wait > 0) throw rateLimited(wait)
}

export function countFailure(context: Context): void {
  limiter(context).fail(context.caller.address, context.clock.now())
}

/**
 * Runs the slow check of a secret that can be guessed. Checks under way count as failures,
 * so that many guesses at once are no more than many guesses in a row.
 * @returns null when the secret was wrong, which has then been counted
 */
export async function tryOnce<Result>(
  context: Context,
  check: () => Promise<Result | null>,
): Promise<Result | null> {
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
