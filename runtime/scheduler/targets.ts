import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredJob } from './job-store.ts'
import type { RunEnd } from './run-schema.ts'
import type { StoredRun } from './run-store.ts'

/** What a run has begun, for the commit that makes it running. */
export interface Begun {
  conversation_id: string | null
  message_id: string | null
  statements: Statement[]
  events: EventInput[]
}

/** What a job can start. A new kind is one file and one line below. */
export interface Target {
  /** Queues what is to be done, which queues the work `scheduler.end` when it has ended. Throws a `Fault` that says why not. */
  begin(context: Context, job: StoredJob, run: Pick<StoredRun, 'id' | 'trigger'>): Promise<Begun>
  /** How it ended; null while it goes on. */
  ending(context: Context, run: StoredRun): Promise<RunEnd | null>
  /** Stops it. False while another process runs it, which must be asked again. */
  stop(context: Context, run: Pick<StoredRun, 'message_id'>): Promise<boolean>
}

type Kind = StoredJob['target']['kind']

/** Loaded when the first job of its kind is due. */
const places: Partial<Record<Kind, () => Promise<Target>>> = {
  agent: async () => (await import('./agent-target.ts')).agentTarget,
}

/** Undefined for what cannot be started here. */
export const targetOf = async (kind: Kind): Promise<Target | undefined> => places[kind]?.()

/** Stops what a run began. False while another process runs it, or where it cannot be stopped from here. */
export const stopTarget = async (
  kind: Kind,
  context: Context,
  run: Parameters<Target['stop']>[1],
): Promise<boolean> => (await targetOf(kind))?.stop(context, run) ?? false
