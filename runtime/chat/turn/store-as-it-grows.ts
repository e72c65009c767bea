import { second } from '../../time.ts'
import { save, type Turn } from './state.ts'

/** A crash loses at most this much of a streamed answer. */
const saveEvery = 1 * second

/**
 * Stores an answer while it grows: what was said is stored a second later, also when the model falls silent. `said`
 * throws what went wrong with the store; nothing is written any more once `end` has resolved.
 */
export function storeAsItGrows(turn: Turn): { said(): void; end(): Promise<void> } {
  const ended = new AbortController()
  let next: Promise<void> | null = null
  let saving: Promise<void> | null = null
  let failed: { thrown: unknown } | null = null

  async function saveLater(): Promise<void> {
    const due = await turn.context.clock.after(saveEvery, ended.signal).then(
      () => true,
      () => false,
    )
    next = null
    if (!due) return
    saving = save(turn).catch((thrown: unknown) => {
      failed = { thrown }
    })
  }

  return {
    said() {
      if (failed) throw failed.thrown
      next ??= saveLater()
    },
    async end() {
      ended.abort()
      await next
      await saving
    },
  }
}
