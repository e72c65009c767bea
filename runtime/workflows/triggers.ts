import { publicUrl } from '../channels/index.ts'
import type { Context } from '../context.ts'
import { latestEvent } from '../events/commit.ts'
import type { EventInput } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import { draftJob, findJob, NewJob, removalOf } from '../scheduler/index.ts'
import { isSameJson } from '../values.ts'
import type { TriggerInfo, Workflow, WorkflowNode } from './schema.ts'
import { dropTrigger, saveTrigger, type Trigger, tokenPurpose, triggersOf } from './trigger-store.ts'

interface Change {
  statements: Statement[]
  events: EventInput[]
}

/** Makes the triggers of a workflow what its definition and status say, in the commit that changes them. */
export async function changeTriggers(context: Context, workflow: Workflow): Promise<Change> {
  const change: Change = { statements: [], events: [] }
  const existing = new Map((await triggersOf(context, workflow.id)).map((trigger) => [trigger.node_id, trigger]))
  for (const node of workflow.nodes.filter(({ disabled }) => !disabled)) {
    const kind = kindOf(node)
    if (!kind) continue
    const trigger = existing.get(node.id)
    const before = trigger?.kind === kind ? trigger : undefined
    if (before) existing.delete(node.id)
    await makers[kind](context, { workflow, node, before, change })
  }
  for (const trigger of existing.values()) await drop(context, trigger, change)
  return change
}

/** The end of all triggers of a workflow that is deleted. */
export async function removeTriggers(context: Context, { id }: Workflow): Promise<Change> {
  const change: Change = { statements: [], events: [] }
  for (const trigger of await triggersOf(context, id)) await drop(context, trigger, change)
  return change
}

function kindOf({ type }: WorkflowNode): Trigger['kind'] | null {
  const kind = type.startsWith('trigger.') ? type.slice('trigger.'.length) : ''
  // A message on a channel is an event.
  if (kind === 'channel') return 'event'
  return kind === 'webhook' || kind === 'form' || kind === 'event' || kind === 'schedule' ? kind : null
}

interface Making {
  workflow: Workflow
  node: WorkflowNode
  before: Trigger | undefined
  change: Change
}

const makers: Record<Trigger['kind'], (context: Context, making: Making) => Promise<void>> = {
  webhook: withAddress,
  form: withAddress,

  async event(context, { workflow, node, before, change }) {
    // Events from before it was enabled do not count.
    const cursor = before?.enabled && workflow.status === 'active' ? before.cursor : await latestEvent(context)
    const isMessage = node.type === 'trigger.channel'
    const key = isMessage ? 'channel.message.received' : String(node.params.event ?? '')
    const own = base(workflow, node)
    const config = isMessage ? { ...own.config, is_message: true } : own.config
    change.statements.push(saveTrigger({ ...own, config, kind: 'event', key, sealed_token: null, cursor }))
  },

  /** A job of the scheduler, so that its rules apply and it appears on its calendar. */
  async schedule(context, { workflow, node, before, change }) {
    const isActive = workflow.status === 'active'
    const { timezone } = workflow.settings
    const params = node.params.schedule as Record<string, unknown>
    const schedule = timezone === null ? params : { timezone, ...params }
    const config = { ...node.params, schedule }
    const isSame = before?.enabled && isSameJson(before.config, config)
    if (isActive && isSame && (await findJob(context, before.key))) return
    if (before) await drop(context, before, change)
    if (!isActive) return
    const input = NewJob.parse({
      name: workflow.name,
      goal: `Run the workflow ${workflow.name}`,
      schedule,
      target: { kind: 'workflow', id: workflow.id },
    })
    const { job, statements, events } = await draftJob(context, input)
    const trigger = {
      ...base(workflow, node),
      config,
      kind: 'schedule' as const,
      key: job.id,
      sealed_token: null,
      cursor: 0,
    }
    change.statements.push(...statements, saveTrigger(trigger))
    change.events.push(...events)
  },
}

/** Its address stays the same as long as the node exists. */
async function withAddress(context: Context, { workflow, node, before, change }: Making): Promise<void> {
  const token = before ? null : context.secrets.random(24)
  const trigger = {
    kind: node.type === 'trigger.form' ? ('form' as const) : ('webhook' as const),
    key: before?.key ?? context.secrets.sha256(token ?? ''),
    sealed_token: before?.sealed_token ?? (await context.secrets.seal(token ?? '', tokenPurpose)),
  }
  change.statements.push(saveTrigger({ ...base(workflow, node), ...trigger, cursor: 0 }))
}

const base = (workflow: Workflow, { id, params }: WorkflowNode) => ({
  workflow_id: workflow.id,
  node_id: id,
  config: params,
  enabled: workflow.status === 'active',
})

async function drop(context: Context, trigger: Trigger, change: Change): Promise<void> {
  change.statements.push(dropTrigger(trigger))
  const job = trigger.kind === 'schedule' ? await findJob(context, trigger.key) : null
  if (!job) return
  const removal = await removalOf(context, job)
  change.statements.push(...removal.statements)
  change.events.push(...removal.events)
}

/** What starts a workflow, for its owner: with the addresses of its webhooks and forms. */
export async function describeTriggers(context: Context, { id, nodes }: Workflow): Promise<TriggerInfo[]> {
  const stored = await triggersOf(context, id)
  const triggers = await Promise.all(
    stored.map(async ({ node_id, kind, key, enabled, sealed_token }): Promise<TriggerInfo> => {
      const job = kind === 'schedule' ? await findJob(context, key) : null
      const token = sealed_token === null ? null : await context.secrets.open(sealed_token, tokenPurpose)
      const path = token === null ? null : `/api/workflows/${kind === 'form' ? 'forms' : 'hooks'}/${token}`
      return {
        node_id,
        kind,
        enabled,
        path,
        url: path === null ? null : await publicUrl(context, path),
        event: kind === 'event' ? key : null,
        job_id: job?.id ?? null,
        next_run_at: job?.next_run_at ?? null,
      }
    }),
  )
  return triggers.filter(({ node_id }) => nodes.some((node) => node.id === node_id))
}
