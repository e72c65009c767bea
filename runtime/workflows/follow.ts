import { z } from 'zod'
import type { Context } from '../context.ts'
import { eventsTopic } from '../events/event.ts'
import type { EventSource, ServerEvent } from '../http/sse.ts'
import { showExecution } from './executions.ts'
import { type NodeChange, watchers } from './live.ts'
import { ExecutionDetails, ExecutionStatus, NodeRun } from './schema.ts'

const Change = NodeRun.pick({
  seq: true,
  node_id: true,
  status: true,
  attempt: true,
  iteration: true,
  started_at: true,
  completed_at: true,
  error: true,
}).extend({ execution_id: z.string() })

/** Payloads of the stream by event name. */
export const streamEvents = {
  /** First, whenever it waits or continues, and at the end. */
  snapshot: ExecutionDetails,
  node: Change,
  done: z.object({ execution_id: z.string(), status: ExecutionStatus }),
}

/** Changes that wait for a slow client; older ones are dropped, since a later snapshot contains them. */
const maxWaiting = 5_000

const Named = z.object({ execution_id: z.string() })

/**
 * An execution while it runs: a snapshot, each change of a node as it happens, another snapshot when it waits, continues or
 * has ended, then `done`. Large values are in snapshots in part. A client that reconnects gets a new snapshot.
 */
export const followExecution = (context: Context, id: string): EventSource =>
  async function* follow(signal): AsyncGenerator<ServerEvent, void> {
    let changes: NodeChange[] = []
    let wake = Promise.withResolvers<void>()
    let isStale = true
    signal.addEventListener('abort', () => wake.resolve(), { once: true })
    const unwatch = watchers(context).watch(id, (change) => {
      if (changes.length < maxWaiting) changes.push(change)
      wake.resolve()
    })
    const subscription = context.bus.subscribe(eventsTopic, ({ type, data }) => {
      if (!type.startsWith('workflow.') || Named.safeParse(data).data?.execution_id !== id) return
      isStale = true
      wake.resolve()
    })
    try {
      while (!signal.aborted) {
        const sent = changes
        changes = []
        for (const change of sent) yield { event: 'node', data: change }
        if (isStale) {
          isStale = false
          const execution = await showExecution(context, id, true)
          yield { event: 'snapshot', data: execution }
          if (execution.completed_at !== null)
            return yield { event: 'done', data: { execution_id: id, status: execution.status } }
        }
        if (changes.length === 0 && !isStale) await wake.promise
        wake = Promise.withResolvers<void>()
      }
    } finally {
      unwatch()
      subscription.close()
    }
  }
