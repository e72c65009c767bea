import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { Action, LoopQuestion, LoopStatus, StopReason, Verdict } from './schema.ts'

const loop = z.object({ loop_id: z.string() })
const run = loop.extend({ run_id: z.string() })
const iteration = run.extend({ iteration_id: z.string(), index: z.int() })

/** Payloads of the events that the stream of a loop sends. */
export const streamedLoopEvents = {
  'loop.started': run.extend({ name: z.string() }),
  'loop.iteration.started': iteration,
  'loop.action': iteration.extend({ action: Action }),
  'loop.verdict': iteration.extend({ verdict: Verdict }),
  'loop.blocked': run.extend({ name: z.string(), question: LoopQuestion }),
  'loop.finished': run.extend({
    name: z.string(),
    status: LoopStatus,
    stop_reason: StopReason,
    error: z.string().nullable(),
  }),
}

export const loopEvents = {
  ...streamedLoopEvents,
  'loop.created': loop.extend({ name: z.string() }),
  'loop.updated': loop.extend({ status: LoopStatus }),
  'loop.deleted': loop,
  /** An iteration has ended. */
  'loop.iteration': iteration.extend({ name: z.string(), summary: z.string(), error: z.string().nullable() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof loopEvents> {}
}
