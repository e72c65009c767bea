import { z } from 'zod'
import type { Context } from '../context.ts'
import { streamOf } from '../events/stream.ts'
import type { EventSource } from '../http/sse.ts'
import { loopEvents } from './events.ts'
import { requireShownLoop, showLoop } from './loops.ts'
import { LoopDetails, LoopStatus } from './schema.ts'

/** Payloads of the stream by event name. */
export const streamEvents = {
  snapshot: LoopDetails,
  ...loopEvents,
  done: z.object({ loop_id: z.string(), status: LoopStatus }),
}

const Named = z.object({ loop_id: z.string() })

/** The events of a loop; `done` ends the stream when its run has ended. */
export const followLoop = (context: Context, id: string, since: number | undefined): EventSource =>
  streamOf(
    context,
    {
      types: loopEvents,
      isAbout: (data) => Named.safeParse(data).data?.loop_id === id,
      snapshot: () => showLoop(context, id),
      async end() {
        const { status } = await requireShownLoop(context, id)
        return hasEnded(status) ? { event: 'done', data: { loop_id: id, status } } : null
      },
      may_end: ['loop.finished', 'loop.updated'],
      deleted: 'loop.deleted',
    },
    since,
  )

const hasEnded = (status: LoopStatus) => ['completed', 'failed', 'cancelled'].includes(status)
