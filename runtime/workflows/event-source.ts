import { eventsAfter, type StoredEvent } from '../events/commit.ts'
import { eventsTopic } from '../events/event.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import { evaluateJsonata } from '../jsonata.ts'
import { GuardFailed } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { second } from '../time.ts'
import { workContext } from '../work/run.ts'
import type { WorkSource } from '../work/source.ts'
import { isTrue } from './nodes/truth.ts'
import { startExecution } from './start.ts'
import { enabledTriggers, moveCursor, type Trigger } from './trigger-store.ts'
import { findWorkflow } from './workflow-store.ts'

/** Events that are considered at once. */
const batch = 200
/** How often the list of triggers is read again: another daemon may have changed it. */
const reread = 60 * second

/** What this process knows about event triggers. */
class Known {
  types = new Set<string>()
  read_at = Number.NEGATIVE_INFINITY
  /** Events may have been committed that nobody has considered. */
  isPending = true
}

const known = processState(() => new Known())

/** Reads the list of triggers with the next tick. */
export function rereadTriggers(host: Pick<Host, 'process'>): void {
  known(host).read_at = Number.NEGATIVE_INFINITY
  host.process.wake()
}

/** Notices events that may start workflows. */
export function watchEvents(host: Host): void {
  const state = known(host)
  const subscription = host.bus.subscribe(eventsTopic, ({ type }) => {
    if (!state.types.has(type)) return
    state.isPending = true
    host.process.wake()
  })
  host.process.stopping.addEventListener('abort', () => subscription.close(), { once: true })
}

/** Starts workflows when something happens. Each event is considered once by each trigger, also after a restart. */
export const eventSource: Pick<WorkSource, 'queueDue'> = {
  async queueDue(host) {
    const state = known(host)
    const now = host.clock.now()
    if (now - state.read_at >= reread) {
      state.types = new Set((await enabledTriggers(host, 'event')).map(({ key }) => key))
      state.read_at = now
      state.isPending = true
    }
    if (!state.isPending) return
    state.isPending = false
    if (state.types.size > 0) await considerAll(host)
  },
}

async function considerAll(host: Host): Promise<void> {
  for (const trigger of await enabledTriggers(host, 'event')) {
    try {
      await consider(host, trigger)
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed)) throw thrown
    }
  }
}

async function consider(host: Host, trigger: Trigger): Promise<void> {
  const events = await eventsAfter(host, trigger.cursor, { types: [trigger.key], limit: batch })
  const last = events.at(-1)
  const workflow = last && (await findWorkflow(host, trigger.workflow_id))
  if (!last || !workflow) return
  if (events.length === batch) known(host).isPending = true
  const context = workContext(
    host,
    { id: trigger.workflow_id, owner_id: workflow.owner_id },
    host.process.stopping,
  )
  let cursor = trigger
  // Each start is committed before the next, which depends on what already runs.
  for (const one of events) {
    if (!(await mayStart(host, { ...trigger, owner_id: workflow.owner_id }, one))) continue
    const { type, ts, data } = one
    try {
      const start = { trigger: 'event' as const, node: trigger.node_id, input: { type, ts, data } }
      const started = await startExecution(context, workflow, start)
      await context.commit([moveCursor(cursor, one.seq), ...started.statements], started.events)
      cursor = { ...cursor, cursor: one.seq }
      started.announce()
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      host.log.write('info', 'an event did not start a workflow', {
        workflow: workflow.id,
        cause: thrown.message,
      })
    }
  }
  if (cursor.cursor < last.seq) await context.commit([moveCursor(cursor, last.seq)])
}

/** Only what its owner may see, and nothing that a workflow started by an event has caused itself. */
async function mayStart(
  host: Host,
  { config, owner_id }: Trigger & { owner_id: string },
  { type, ts, data, owner_id: owner }: StoredEvent,
): Promise<boolean> {
  if (owner !== null && owner !== owner_id) return false
  if (type.startsWith('workflow.run.') && (data as { trigger?: string }).trigger === 'event') return false
  const filter = String(config.filter ?? '').trim()
  if (filter === '') return true
  try {
    return isTrue(await evaluateJsonata(filter, { type, ts, data, input: { type, ts, data } }))
  } catch (thrown) {
    host.log.write('warn', 'the filter of an event trigger cannot be evaluated', { cause: String(thrown) })
    return false
  }
}
