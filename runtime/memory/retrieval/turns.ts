import type { Clock } from '../../ports/clock.ts'

/** Milliseconds of one stretch after which others have a turn: reads of a local database are synchronous. */
const longest = 8

/** For work in steps, to be awaited between them: lets others have a turn when the steps since the last have taken long. */
export function turns(clock: Clock): () => Promise<void> {
  let begun = clock.now()
  return async () => {
    if (clock.now() - begun < longest) return
    await clock.after(0)
    begun = clock.now()
  }
}
