import { z } from 'zod'
import { eventsTopic } from '../events/event.ts'
import type { Host } from '../host.ts'

const Ended = z.object({ status: z.enum(['completed', 'failed', 'skipped', 'cancelled']) })

/** Counts the tasks of projects that end in this process, by outcome. */
export function countTaskEnds(host: Host): void {
  for (const status of Ended.shape.status.options) host.metrics.count('tasks_total', { status }, 0)
  const subscription = host.bus.subscribe(eventsTopic, ({ type, data }) => {
    if (type !== 'task.updated') return
    const { data: ended } = Ended.safeParse(data)
    if (ended) host.metrics.count('tasks_total', ended)
  })
  host.process.stopping.addEventListener('abort', () => subscription.close(), { once: true })
}
