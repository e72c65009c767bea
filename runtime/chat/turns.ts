import type { Context } from '../context.ts'
import { wonRace } from '../lost-race.ts'
import { cancelWork } from '../work/cancel.ts'
import type { WorkKind } from '../work/kind.ts'
import { waitedIn } from '../work/running-time.ts'
import type { Work } from '../work/schema.ts'
import { latestWork, listWork } from '../work/select.ts'
import { turnKind } from './schema.ts'

/** The work that generates an answer. Its code, with all tools, is loaded with the first turn. */
export const chatTurn: WorkKind = {
  kind: turnKind,
  max_running: 200,
  ordered: true,
  after_crash: 'lose',
  resume: async (work, context) => (await import('./turn/resume.ts')).resumption(work, context),
  run: async (work, context) => (await import('./turn/turn.ts')).runTurn(work, context),
  ended: async (work, status, context) => (await import('./turn/turn.ts')).endedOutside(work, status, context),
}

/** Milliseconds that the turn of an answer has waited: for a vendor, a person or a restart. */
export async function waitedFor(context: Context, message: string): Promise<number> {
  const work = await latestWork(context, turnKind, message)
  return work ? waitedIn(work, context.clock.now()) : 0
}

/** Stops every open turn of a conversation, running and queued. Returns how many. */
export async function stopTurns(context: Context, conversation: string): Promise<number> {
  const open = await listWork(context, { lane: conversation })
  // Newest first, so that no queued turn starts because the one before it has ended.
  const stopped = await Promise.all(open.reverse().map((work) => stopOne(context, work)))
  return stopped.filter(Boolean).length
}

/** Stops the turn of an answer, if it is open. */
export async function stopTurn(context: Context, message: string): Promise<void> {
  for (const work of await listWork(context, { kind: turnKind, subject: message })) await stopOne(context, work)
}

const stopOne = (context: Context, work: Work): Promise<boolean> =>
  wonRace(cancelWork(context, chatTurn, work, 'Stopped by a person'))
