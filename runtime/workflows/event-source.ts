import type { StoredEvent } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import { evaluateJsonata } from '../jsonata.ts'
import { isTrue } from '../values.ts'
import { workContext } from '../work/run.ts'
import { beginExecution, maxDepth, refusedExecution, type StartedExecution } from './start.ts'
import { enabledTriggers, moveCursor, type Trigger } from './trigger-store.ts'
import { findWorkflow } from './workflow-store.ts'

/** Starts workflows on events. Each trigger processes each event once, even after a restart. */
export const eventTriggers = consumeEvents({
  name: 'workflows',
  retyped_by: ['workflow.created', 'workflow.updated', 'workflow.deleted'],
  types: async (host) => (await enabledTriggers(host, 'event')).map(({ key }) => key),
  async consume(events, host) {
    for (const trigger of await enabledTriggers(host, 'event')) {
      const later = events.filter(({ type, seq }) => type === trigger.key && seq > trigger.cursor)
      if (later.length > 0) await startEach(host, trigger, later)
    }
    return undefined
  },
})

/** Each start is committed before the next one, which depends on what is already running. */
async function startEach(host: Host, trigger: Trigger, events: readonly StoredEvent[]): Promise<void> {
  const workflow = await findWorkflow(host, trigger.workflow_id)
  if (!workflow) return
  const { id, owner_id } = workflow
  let cursor = trigger
  for (const one of events) {
    if (!(await mayStart(host, { ...trigger, owner_id }, one))) continue
    const { type, ts, data, chain_depth } = one
    const context = workContext(host, { id, owner_id, chain_depth }, host.process.stopping)
    try {
      const input = isChannelTrigger(trigger) ? data : { type, ts, data }
      const start = { trigger: 'event' as const, node: trigger.node_id, input }
      const moved = moveCursor(cursor, one.seq)
      const store = ({ statements, events }: StartedExecution) => context.commit([moved, ...statements], events)
      if (chain_depth > maxDepth) {
        const refused = await refusedExecution(context, workflow, start)
        await store(refused)
        refused.announce()
      } else await beginExecution(context, workflow, start, store)
      cursor = { ...cursor, cursor: one.seq }
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      host.log.write('info', 'an event did not start a workflow', {
        workflow: workflow.id,
        cause: thrown.message,
      })
    }
  }
}

/** Only what its owner may see, and nothing that a workflow started by an event has caused itself. */
async function mayStart(
  host: Host,
  { config, owner_id }: Trigger & { owner_id: string },
  { type, ts, data, owner_id: owner, chain_depth }: StoredEvent,
): Promise<boolean> {
  if (owner !== null && owner !== owner_id) return false
  // The depth limit of this chain was already reported.
  if (chain_depth > maxDepth + 1) return false
  if (type.startsWith('workflow.run.') && (data as { trigger?: string }).trigger === 'event') return false
  if (isChannelTrigger({ config }) && !isMeant(config, data)) return false
  const filter = String(config.filter ?? '').trim()
  if (filter === '') return true
  try {
    return isTrue(await evaluateJsonata(filter, { type, ts, data, input: { type, ts, data } }))
  } catch (thrown) {
    host.log.write('warn', 'the filter of an event trigger cannot be evaluated', { cause: String(thrown) })
    return false
  }
}

const isChannelTrigger = ({ config }: Pick<Trigger, 'config'>): boolean => config.is_message === true

function isMeant({ channel_id, only_owner }: Trigger['config'], data: unknown): boolean {
  const message = data as { channel_id: string; from_owner: boolean }
  const isHere = !channel_id || channel_id === message.channel_id
  return isHere && (message.from_owner || only_owner === false)
}
