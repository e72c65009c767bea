import { GuardFailed } from './ports/sql.ts'

/** Whether a commit was stored; false if another request or daemon was faster (`GuardFailed`). */
export const wonRace = (commit: Promise<unknown>): Promise<boolean> =>
  commit.then(
    () => true,
    (thrown: unknown) => {
      if (thrown instanceof GuardFailed) return false
      throw thrown
    },
  )

/**
 * Reads, decides and commits again if another request was faster, so that the second of two requests applies to what the
 * first has left. After `tries` attempts, the `GuardFailed` is thrown.
 */
export async function againIfLost<Result>(attempt: () => Promise<Result>, tries = 10): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt()
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || count === tries) throw thrown
    }
  }
}
