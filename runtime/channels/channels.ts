import { namedEnabledAgent } from '../agents/index.ts'
import { auditStatement } from '../auth/audit.ts'
import { requireAccess } from '../auth/authorise.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault, invalidField } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { required } from '../required.ts'
import { errorMessage } from '../thrown.ts'
import { iso, laterThan, second } from '../time.ts'
import { readable } from '../validation.ts'
import { defined } from '../values.ts'
import { within } from '../within.ts'
import {
  deleteBinding,
  deleteChannel,
  findOwnBinding,
  findOwnChannel,
  insertBinding,
  insertChannel,
  type StoredChannel,
  updateBinding,
  updateChannel,
  updateUnchanged,
} from './channel-store.ts'
import {
  arrivalOf,
  connect,
  fetchesMessages,
  fieldsOf,
  maskedCredentials,
  openCredentials,
  platformOf,
  sealCredentials,
  shownCredentials,
  webhookPath,
  webhookUrl,
} from './connection.ts'
import { stopListening } from './listen.ts'
import { logEntry } from './log-store.ts'
import { ownersOn } from './pairing-store.ts'
import { type Check, type Connection, type Platform, SendFailed } from './platform.ts'
import type { Binding, BindingChanges, Channel, ChannelChanges, ChannelTest, NewBinding, NewChannel } from './schema.ts'
import { queueWaiting } from './send.ts'

/** Time limit of a connection test, in milliseconds. */
const testLimit = 20 * second

/** The channel if it belongs to the caller, else a 404. */
export const requireChannel = required('channel', findOwnChannel)

/** The channel as the API returns it, without its secrets. */
export async function publicChannel(context: Context, channel: StoredChannel): Promise<Channel> {
  const { sealed_credentials: _, shown_credentials, cursor: _1, poll_due_at: _2, poll_failures: _3, ...rest } = channel
  const platform = await platformOf(context, channel.platform)
  const webhook_url = await webhookUrl(context, channel)
  const credentials = maskedCredentials(channel)
  return {
    ...rest,
    credentials: shown_credentials,
    missing: fieldsOf(platform)
      .filter(({ name, required }) => required && !shown_credentials[name]?.configured)
      .map(({ name }) => name),
    arrival: arrivalOf(platform, { webhook_url: webhook_url ?? '', credentials }),
    webhook_url,
    webhook_path: webhookPath(channel),
    owner_paired: (await ownersOn(context, channel.id)).length > 0,
  }
}

export async function addChannel(context: Context, input: NewChannel): Promise<Channel> {
  const platform = await platformOf(context, input.platform)
  if (input.default_agent_id !== null) await namedEnabledAgent(context, input.default_agent_id, 'default_agent_id')
  const now = context.clock.now()
  const { credentials, ...fields } = input
  const channel: StoredChannel = {
    ...fields,
    ...(await changedCredentials(context, platform, { old: {}, change: credentials })),
    name: input.name ?? platform.title,
    id: newId('chan', now),
    owner_id: ownerOf(context),
    status: 'disconnected',
    cursor: null,
    poll_due_at: fetchesMessages(platform) && input.enabled ? iso(now) : null,
    poll_failures: 0,
    last_error: null,
    last_inbound_at: null,
    last_outbound_at: null,
    created_at: iso(now),
    updated_at: iso(now),
  }
  const { id: channel_id, name } = channel
  const answer = await publicChannel(context, channel)
  await context.commit(
    [insertChannel(channel), auditStatement(context, { action: 'channel.created', target: channel_id })],
    [event('channel.created', { channel_id, name, platform: platform.name })],
    { answer },
  )
  return answer
}

/** Merges the stored credentials with the given ones, validates those, and seals the result. Only administrators may set credentials. */
async function changedCredentials(
  context: Context,
  platform: Platform,
  { old, change }: { old: Record<string, string>; change: Record<string, string | null> },
): Promise<Pick<StoredChannel, 'sealed_credentials' | 'shown_credentials'>> {
  if (Object.keys(change).length > 0) requireAccess('admin', context)
  const values = { ...old }
  for (const [name, value] of Object.entries(change)) {
    const schema = Object.hasOwn(platform.credentials.shape, name) && platform.credentials.shape[name]
    if (!schema) throw invalidField(`credentials.${name}`, `is not a credential of ${platform.title}`)
    if (value === null || value === '') delete values[name]
    else {
      const checked = schema.safeParse(value, readable)
      if (!checked.success)
        throw invalidField(`credentials.${name}`, checked.error.issues[0]?.message ?? 'is not valid')
      values[name] = value
    }
  }
  const isEmpty = Object.keys(values).length === 0
  return {
    sealed_credentials: isEmpty ? null : await sealCredentials(context, values),
    shown_credentials: shownCredentials(platform, values),
  }
}

export async function editChannel(context: Context, id: string, changes: ChannelChanges): Promise<Channel> {
  const channel = await againIfLost(() => editOnce(context, id, changes))
  if (changes.credentials || changes.enabled === false) await stopListening(context, id)
  return publicChannel(context, channel)
}

async function editOnce(context: Context, id: string, changes: ChannelChanges): Promise<StoredChannel> {
  const channel = await requireChannel(context, id)
  const platform = await platformOf(context, channel.platform)
  if (changes.default_agent_id && changes.default_agent_id !== channel.default_agent_id)
    await namedEnabledAgent(context, changes.default_agent_id, 'default_agent_id')
  const { credentials, settings, ...fields } = changes
  const now = context.clock.now()
  const sealed =
    credentials &&
    (await changedCredentials(context, platform, {
      old: await openCredentials(context, channel),
      change: credentials,
    }))
  const changed: Partial<StoredChannel> = {
    ...fields,
    ...(settings && { settings: { ...channel.settings, ...settings } }),
    // New credentials may belong to a different account.
    ...(sealed && { ...sealed, status: 'disconnected', last_error: null, cursor: null }),
    ...(changes.enabled === false && { status: 'disconnected' }),
    ...(fetchesMessages(platform) && {
      poll_due_at: (changes.enabled ?? channel.enabled) ? iso(now) : null,
      poll_failures: 0,
    }),
    updated_at: laterThan(channel.updated_at, now),
  }
  const next = { ...channel, ...changed }
  await context.commit(
    [
      updateUnchanged(channel, changed),
      auditStatement(context, { action: 'channel.updated', target: id }),
      ...(next.enabled ? await queueWaiting(context, next) : []),
    ],
    [event('channel.updated', { channel_id: id, status: next.status })],
  )
  return next
}

export async function removeChannel(context: Context, id: string): Promise<void> {
  const channel = await requireChannel(context, id)
  if (channel.status === 'connected') await tryDisconnect(context, channel)
  await context.commit(
    [deleteChannel(id), auditStatement(context, { action: 'channel.deleted', target: id })],
    [event('channel.deleted', { channel_id: id })],
  )
  await stopListening(context, id)
}

/** Calls the platform with the channel's credentials, and says whether messages can be sent and received. */
export async function testChannel(context: Context, id: string): Promise<ChannelTest> {
  const channel = await requireChannel(context, id)
  const { platform, connection } = await connect(context, channel)
  const started = context.clock.now()
  const { receiving, ...sending } = await checkHealth(context, platform, connection)
  const tested = {
    sending,
    receiving: reception(channel, { platform, connection, ...(receiving && { receiving }) }),
  }
  const failed = Object.values(tested).filter(({ ok }) => !ok)
  const detail = [sending, ...failed.filter((one) => one !== sending)].map((one) => one.detail).join('. ')
  return { ok: failed.length === 0, detail, ...tested, latency_ms: context.clock.now() - started }
}

/** Whether messages reach this daemon. */
function reception(
  { enabled, status, last_error, last_inbound_at }: StoredChannel,
  { platform, connection, receiving }: { platform: Platform; connection: Connection; receiving?: Check },
): Check {
  const refused = (detail: string) => ({ ok: false, detail })
  if (!enabled) return refused('The channel is disconnected; choose Connect')
  if (receiving?.ok === false) return receiving
  if (arrivalOf(platform, connection) === 'connection') {
    if (status === 'connected') return { ok: true, detail: 'The connection for receiving is open' }
    return refused(`Not connected: ${last_error ?? 'the connection is being opened; test again in a moment'}`)
  }
  if (connection.webhook_url === '') return refused(needsAddress(platform))
  if (receiving) return receiving
  if (last_inbound_at !== null) return { ok: true, detail: `The last message was received at ${last_inbound_at}` }
  return refused(
    `No message has been received yet: make sure that ${platform.title} sends to ${connection.webhook_url}, and write one`,
  )
}

const needsAddress = ({ title }: Platform): string =>
  `${title} must be able to reach this daemon from the internet: set the public base URL first`

async function checkHealth(context: Context, platform: Platform, connection: Connection) {
  const outcome = await attempt(context, (signal) => platform.health(connection, { ...context, signal }))
  return typeof outcome === 'string' ? { ok: false, detail: outcome } : outcome
}

/** The result of a platform call, or a sentence that says why it failed. */
async function attempt<Result>(
  context: Context,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | string> {
  try {
    return await within(context, { milliseconds: testLimit }, run)
  } catch (thrown) {
    if (thrown instanceof SendFailed || thrown instanceof OutboundBlocked || thrown instanceof Fault)
      return thrown.message
    context.log.write('warn', 'cannot call a platform', { cause: thrown })
    return errorMessage(thrown)
  }
}

/** Registers the webhook address if the platform has an API for that, and checks the credentials. */
export async function connectChannel(context: Context, id: string): Promise<Channel> {
  const channel = await requireChannel(context, id)
  const { platform, connection } = await connect(context, channel)
  const isWebhook = arrivalOf(platform, connection) === 'webhook'
  if (platform.connect && isWebhook && connection.webhook_url === '') throw conflict(needsAddress(platform))
  const failed = await attempt(context, async (signal) => platform.connect?.(connection, { ...context, signal }))
  const { ok, detail } =
    typeof failed === 'string' ? { ok: false, detail: failed } : await checkHealth(context, platform, connection)
  const opened = isWebhook || channel.status === 'connected' ? 'connected' : 'connecting'
  return setStatus(context, channel, {
    enabled: true,
    status: ok ? opened : 'error',
    last_error: ok ? null : detail,
    ...(fetchesMessages(platform) && {
      poll_due_at: isWebhook ? null : iso(context.clock.now()),
      poll_failures: 0,
    }),
  })
}

/** Stops a channel from receiving and sending; queued messages are kept. */
export async function disconnectChannel(context: Context, id: string): Promise<Channel> {
  const channel = await requireChannel(context, id)
  const failed = channel.sealed_credentials === null ? null : await tryDisconnect(context, channel)
  const changed = await setStatus(context, channel, {
    enabled: false,
    status: 'disconnected',
    last_error: failed,
    poll_due_at: null,
  })
  await stopListening(context, id)
  return changed
}

/** Removes the webhook address from the platform. Returns why it failed, or null. */
async function tryDisconnect(context: Context, channel: StoredChannel): Promise<string | null> {
  const failed = await attempt(context, async (signal) => {
    const { platform, connection } = await connect(context, channel)
    await platform.disconnect?.(connection, { ...context, signal })
  })
  return failed ?? null
}

async function setStatus(
  context: Context,
  channel: StoredChannel,
  change: Partial<StoredChannel> & Pick<StoredChannel, 'status' | 'last_error'>,
): Promise<Channel> {
  const changed = { ...change, updated_at: laterThan(channel.updated_at, context.clock.now()) }
  const next = { ...channel, ...changed }
  const { id: channel_id, platform } = channel
  const { status, last_error: error } = next
  await context.commit(
    [
      updateChannel(channel_id, changed),
      ...logEntry(context, channel_id, {
        direction: 'connection',
        outcome: error === null ? 'ok' : 'error',
        detail: error ?? status,
      }),
      ...(next.enabled ? await queueWaiting(context, next) : []),
    ],
    [
      event('channel.updated', { channel_id, status }),
      ...(error === null ? [] : [event('channel.error', { channel_id, platform, error })]),
    ],
  )
  return publicChannel(context, next)
}

export async function addBinding(context: Context, input: NewBinding): Promise<Binding> {
  await requireChannel(context, input.channel_id)
  if (input.agent_id) await namedEnabledAgent(context, input.agent_id, 'agent_id')
  const now = context.clock.now()
  const binding: Binding = { ...input, id: newId('bind', now), created_at: iso(now) }
  await context.commit([insertBinding(binding)], [], { answer: binding })
  return binding
}

export async function editBinding(context: Context, id: string, changes: BindingChanges): Promise<Binding> {
  const binding = await requireBinding(context, id)
  const { agent_id } = changes
  if (agent_id && agent_id !== binding.agent_id) await namedEnabledAgent(context, agent_id, 'agent_id')
  const fields = defined(changes)
  if (Object.keys(fields).length > 0) await context.commit([updateBinding(id, fields)])
  return { ...binding, ...fields }
}

export const requireBinding = required('binding', findOwnBinding)

export async function removeBinding(context: Context, id: string): Promise<void> {
  await requireBinding(context, id)
  await context.commit([deleteBinding(id)])
}
