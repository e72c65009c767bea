import { z } from 'zod'
import type { Context } from '../context.ts'
import { streamOf } from '../events/stream.ts'
import type { EventSource } from '../http/sse.ts'
import { loopEvents, streamedLoopEvents } from './events.ts'
import { requireShownLoop, showLoop } from './loops.ts'
import { LoopDetails, LoopStatus } from './schema.ts'

export const streamEvents = {
  snapshot: LoopDetails,
  ...streamedLoopEvents,
  done: z.object({ loop_id: z.string(), status: z.union([LoopStatus, z.literal('deleted')]) }),
}

const Named = z.object({ loop_id: z.string() })

/** The events of a loop; `done` ends the stream when its run has ended. */
export const followLoop = (context: Context, id: string, since: number | undefined): EventSource =>
  streamOf(
    context,
    {
      types: loopEvents,
      sends: Object.keys(streamedLoopEvents),
      isAbout: (data) => Named.safeParse(data).data?.loop_id === id,
      snapshot: async () => showLoop(context, await requireShownLoop(context, id)),
      async end() {
        const { status } = await requireShownLoop(context, id)
        return hasEnded(status) ? { event: 'done', data: { loop_id: id, status } } : null
      },
      may_end: ['loop.finished', 'loop.updated'],
      deleted: { type: 'loop.deleted', done: { loop_id: id, status: 'deleted' } },
    },
    since,
  )

const hasEnded = (status: LoopStatus) => ['completed', 'failed', 'cancelled'].includes(status)
