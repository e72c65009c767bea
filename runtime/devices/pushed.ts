import { actingFor } from '../auth/owner.ts'
import { profile } from '../auth/profile.ts'
import { readSecurity } from '../auth/security.ts'
import { findConversation, proactiveSettings, quietUntil } from '../chat/index.ts'
import type { Context } from '../context.ts'
import type { StoredEvent } from '../events/commit.ts'
import type { Consumed } from '../events/consumer.ts'
import type { EventMap } from '../events/event.ts'
import type { Host } from '../host.ts'
import { inboxOf, type Waiting } from '../inbox.ts'
import type { Statement } from '../ports/sql.ts'
import { interfaceSettings } from '../sections/interface.ts'
import { readSection } from '../sections/section.ts'
import { minute, second } from '../time.ts'
import type { WorkKind } from '../work/kind.ts'
import { workContext } from '../work/run.ts'
import { insertWork } from '../work/store.ts'
import { browsersOf } from './browser-store.ts'
import { devicesOfOwner, subscriberOf } from './device-store.ts'
import { type Notice, pushNotice, type Subscriber } from './push.ts'
import { type reports, waits } from './push-types.ts'

type Report = (typeof reports)[number]

/** Queues one unit per event and subscriber, for the end of the owner's quiet hours. */
export async function queuePushes(events: readonly StoredEvent[], host: Host): Promise<Consumed> {
  const statements: Statement[] = []
  for (const { seq, type, data, owner_id } of events) {
    if (owner_id === null) continue
    const context = workContext(host, { id: `event_${seq}`, owner_id }, host.process.stopping)
    const due = await endOfQuietHours(context)
    for (const { id } of await subscribers(context, owner_id, type))
      statements.push(
        insertWork(context, { kind: pushKind.kind, subject: id, owner_id, payload: { type, data }, due }).statement,
      )
  }
  return { statements }
}

async function endOfQuietHours(context: Context): Promise<number> {
  const { quiet_hours } = await readSection(context, proactiveSettings)
  const { timezone } = await readSection(context, profile)
  return quietUntil(quiet_hours, timezone, context.clock.now())
}

/** The owner's browsers, and for approvals the phones that answer them and are not connected. */
async function subscribers(context: Context, owner_id: string, type: string): Promise<Subscriber[]> {
  const browsers = await browsersOf(context, owner_id)
  if (type !== 'approval.requested') return browsers
  const devices = (await devicesOfOwner(context, owner_id)).filter(
    ({ push, status, allowed_commands }) => push && status !== 'online' && allowed_commands.includes('approvals'),
  )
  return [...browsers, ...devices.map(subscriberOf)]
}

/** Sends one notice to one subscriber, unless it was answered, switched off or revoked in the meantime. */
export const pushKind: WorkKind = {
  kind: 'devices.push',
  max_running: 5,
  timeout_seconds: 30,
  retry: { max_attempts: 3, delay_seconds: (attempt) => (attempt * minute) / second },
  after_crash: 'retry',
  async run({ subject, owner_id, payload }, context) {
    const { type, data } = payload as { type: string; data: Record<string, unknown> }
    const subscriber = (await subscribers(context, owner_id, type)).find(({ id }) => id === subject)
    const notice = subscriber && (await noticeOf(actingFor(context, owner_id), type, data))
    const problem = notice ? await pushNotice(context, subscriber, notice, await deliveryOf(context, type)) : null
    if (problem !== null) throw new Error(problem)
    return { status: 'succeeded' }
  },
}

/** What waits is shown at once; a request for approval is of no use once it has expired. */
async function deliveryOf(context: Context, type: string) {
  if (!isWaiting(type)) return {}
  const { approval_timeout_minutes } = await readSecurity(context)
  const ttl = type === 'approval.requested' && { ttl_seconds: (approval_timeout_minutes * minute) / second }
  return { urgency: 'high' as const, ...ttl }
}

const isWaiting = (type: string) => (waits as readonly string[]).includes(type)

async function noticeOf(context: Context, type: string, data: Record<string, unknown>): Promise<Notice | null> {
  const { notifications } = await readSection(context, interfaceSettings)
  if (isWaiting(type)) {
    const waiting =
      notifications.approvals && (await inboxOf(context)).find(({ id }) => Object.values(data).includes(id))
    return waiting ? { ...titled(waiting), href: waiting.href, tag: waiting.id } : null
  }
  const isResult = type === 'message.injected' || type === 'permission.digest'
  if (!notifications[isResult ? 'answers' : 'failures']) return null
  const report = reporters[type as Report] as (context: Context, data: unknown) => Promise<Notice | null>
  return report(context, data)
}

const titled = ({ kind, title, detail }: Waiting) =>
  kind === 'approval' ? { title: 'Approval needed', body: title } : { title, body: detail }

/** Names only: what failed and why is on the page. */
const failed = async (name: string, href: string, tag: string): Promise<Notice> => ({
  title: `${name} failed`,
  body: 'Open hearthd to see why.',
  href,
  tag,
})

const reporters: { [Name in Report]: (context: Context, data: EventMap[Name]) => Promise<Notice | null> } = {
  'job.run.failed': async (_, { name, job_id, will_retry }) =>
    will_retry ? null : failed(name, `/scheduler/${job_id}`, job_id),
  'loop.finished': async (_, { name, loop_id, status }) =>
    status === 'failed' ? failed(name, `/loops/${loop_id}`, loop_id) : null,
  'project.failed': (_, { name, project_id }) => failed(name, `/projects/${project_id}`, project_id),
  'workflow.run.failed': (_, { name, workflow_id, execution_id }) =>
    failed(name, `/workflows/${workflow_id}?execution=${execution_id}`, workflow_id),
  async 'agent.run.failed'(context, { conversation_id }) {
    const conversation = await findConversation(context, conversation_id)
    // Others are part of a job, loop or project, which reports its own failure.
    if (conversation?.kind !== 'user') return null
    return failed(conversation.title || 'Chat', `/chat/${conversation_id}`, conversation_id)
  },
  'permission.digest': async (_, { title }) => ({
    title,
    body: 'Open hearthd to see which.',
    href: '/settings/permissions',
    tag: 'permissions',
  }),
  async 'message.injected'(context, { conversation_id, message_id, job_id }) {
    const conversation = job_id === undefined ? null : await findConversation(context, conversation_id)
    if (!conversation) return null
    const body = 'A job has delivered its result.'
    return { title: conversation.title || 'Chat', body, href: `/chat/${conversation_id}`, tag: message_id }
  },
}
