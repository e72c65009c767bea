import type { WorkKind } from '../../work/kind.ts'
import { turnKind } from '../kinds.ts'

/**
 * The work that answers. What it does, with all tools, is loaded with the first turn: whoever only reads conversations
 * needs none of it.
 */
export const chatTurn: WorkKind = {
  kind: turnKind,
  max_running: 200,
  after_crash: 'lose',
  resumable: async (work, context) => (await import('./turn.ts')).wasAsking(work, context),
  run: async (work, context) => (await import('./turn.ts')).runTurn(work, context),
  ended: async (work, status, context) => (await import('./turn.ts')).endedOutside(work, status, context),
}
