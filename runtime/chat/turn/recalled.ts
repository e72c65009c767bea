import { prompt } from '../../prompts/prompt.ts'
import type { Trust } from '../../trust.ts'

/** A memory as it appears in a prompt. */
export interface Recalled {
  id: string
  /** Shortened. */
  text: string
  trust: Trust
  created_at: string
  score: number
}

/** What a prompt says about memories; empty if there are none. `quarantine` marks external text. */
export function recallNotes(recalled: readonly Recalled[], quarantine: (text: string) => string): string {
  if (recalled.length === 0) return ''
  const lines = (some: readonly Recalled[]) =>
    some.map(({ id, created_at, text }) => `[${id}] ${created_at.slice(0, 10)}: ${text}`).join('\n')
  const own = recalled.filter(({ trust }) => trust !== 'external')
  const external = recalled.filter(({ trust }) => trust === 'external')
  return prompt('memories', {
    own: lines(own),
    external: external.length > 0 ? quarantine(lines(external)) : '',
  })
}
