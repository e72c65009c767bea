import { rateLimited } from '../../runtime/fault.ts'

/** Runs at most `parallel` jobs at once; `waiting` more may queue, the next is refused with a 429. */
export function createTurnstile(
  parallel: number,
  waiting: number,
): <Result>(job: () => Promise<Result>) => Promise<Result> {
  const queue: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < parallel) {
      running += 1
      return
    }
    if (queue.length >= waiting)
      throw rateLimited(1, 'Too many passwords are being checked; try again in a moment')
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  /** The place goes to the next in line, so nobody can slip in between. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }

  return async (job) => {
    await enter()
    try {
      return await job()
    } finally {
      leave()
    }
  }
}
