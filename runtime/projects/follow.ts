import { z } from 'zod'
import type { Context } from '../context.ts'
import { eventsTopic } from '../events/event.ts'
import type { EventSource, ServerEvent } from '../http/sse.ts'
import type { Frame } from '../ports/bus.ts'
import { projectEvents } from './events.ts'
import { requireProject, showProject } from './projects.ts'
import { ProjectDetails } from './schema.ts'

/** Payloads of the stream by event name. */
export const streamEvents = {
  snapshot: ProjectDetails,
  ...projectEvents,
  done: z.object({ project_id: z.string(), status: z.string() }),
}

const Named = z.object({ project_id: z.string() })

/**
 * The events of a project: a snapshot first, then each change once, in order. Ids are positions in the outbox, so a client
 * that reconnects with `Last-Event-ID` misses no event and gets none twice; if its events are no longer buffered, it gets a new
 * snapshot. `done` ends the stream when the project has ended.
 */
export const followProject = (context: Context, id: string, since: number | undefined): EventSource =>
  async function* follow(signal): AsyncGenerator<ServerEvent, void> {
    const queue = new FrameQueue(signal)
    const subscription = context.bus.subscribe(eventsTopic, (frame) => queue.add(frame, id), since)
    try {
      if (!subscription.complete) queue.clear()
      if (since === undefined || !subscription.complete)
        yield { event: 'snapshot', data: await showProject(context, id) }
      else await requireProject(context, id)
      const over = queue.isEmpty ? await endOf(context, id) : null
      if (over) return yield over
      for await (const frame of queue.frames()) {
        yield { id: String(frame.seq), event: frame.type, data: frame.data }
        if (frame.type === 'project.deleted') return
        const ended = queue.isEmpty && endedBy(frame) ? await endOf(context, id) : null
        if (ended) return yield ended
      }
    } finally {
      subscription.close()
    }
  }

const endedBy = ({ type }: Frame) =>
  type === 'project.completed' || type === 'project.failed' || type === 'project.updated'

async function endOf(context: Context, id: string): Promise<ServerEvent | null> {
  const { status } = await requireProject(context, id)
  if (!['completed', 'failed', 'cancelled'].includes(status)) return null
  return { event: 'done', data: { project_id: id, status } }
}

/** Events that wait for a slow client; with more of them its stream ends, and it reconnects. */
const maxWaiting = 10_000

/** Events of one project that wait for a slow client. */
class FrameQueue {
  readonly #signal: AbortSignal
  #frames: Frame[] = []
  #wake = Promise.withResolvers<void>()
  #ended = false

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true })
  }

  add(frame: Frame, project: string): void {
    if (!(frame.type in projectEvents) || Named.safeParse(frame.data).data?.project_id !== project) return
    this.#frames.push(frame)
    if (this.#frames.length > maxWaiting) this.#ended = true
    this.#wake.resolve()
  }

  /** Drops older events that the bus replayed although it lacks some. */
  clear(): void {
    this.#frames = []
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  async *frames(): AsyncGenerator<Frame, void> {
    for (;;) {
      if (this.#ended) return
      for (let frame = this.#frames.shift(); frame; frame = this.#frames.shift()) yield frame
      if (this.#signal.aborted || this.#ended) return
      this.#wake = Promise.withResolvers<void>()
      if (this.#frames.length === 0 && !this.#signal.aborted) await this.#wake.promise
    }
  }
}
