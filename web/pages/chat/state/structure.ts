import type { ThreadMessage } from './thread.ts'

/**
 * Whether the list of messages may stay as it is drawn: nothing but the answer `live` has changed,
 * and that one draws itself.
 */
export function sameStructure(
  before: readonly ThreadMessage[],
  after: readonly ThreadMessage[],
  live: string | null,
): boolean {
  if (before === after) return true
  if (before.length !== after.length || live === null) return false
  return after.every((item, index) => {
    const old = before[index] as ThreadMessage
    return item === old || (item.message.id === live && old.message.id === live && item.key === old.key)
  })
}
