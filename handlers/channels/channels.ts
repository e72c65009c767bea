import { z } from 'zod'
import { requireAccess } from '../../runtime/auth/authorise.ts'
import { listBindings, listChannels } from '../../runtime/channels/channel-store.ts'
import {
  addBinding,
  addChannel,
  connectChannel,
  disconnectChannel,
  editBinding,
  editChannel,
  publicChannel,
  removeBinding,
  removeChannel,
  requireBinding,
  requireChannel,
  testChannel,
} from '../../runtime/channels/channels.ts'
import { describePlatform, platformOf } from '../../runtime/channels/connection.ts'
import { listLog } from '../../runtime/channels/log-store.ts'
import { platformNames } from '../../runtime/channels/platform.ts'
import {
  Binding,
  BindingChanges,
  Channel,
  ChannelChanges,
  ChannelTest,
  LogEntry,
  NewBinding,
  NewChannel,
  PlatformId,
  PlatformInfo,
  SendRequest,
} from '../../runtime/channels/schema.ts'
import { sendToChannel } from '../../runtime/channels/send.ts'
import { channelNotifications, channelSettings } from '../../runtime/channels/settings.ts'
import type { Context } from '../../runtime/context.ts'
import { logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { changeSection, readSection } from '../../runtime/sections/section.ts'

const channels = { path: '/api/channels', require: requireChannel } as const

export const platforms = endpoint({
  method: 'GET',
  path: '/api/channels/platforms',
  owner: 'none',
  summary: 'List the platforms with their credentials and setup steps',
  returns: z.object({ platforms: z.array(PlatformInfo) }),
  async run(_, context) {
    const loaded = await Promise.all(platformNames.map((name) => platformOf(context, name)))
    return { platforms: loaded.map(describePlatform) }
  },
})

const Settings = z.object({
  public_base_url: channelSettings.schema.shape.public_base_url,
  notifications: channelNotifications.schema,
})

const shownSettings = async (context: Context): Promise<z.output<typeof Settings>> => ({
  ...(await readSection(context, channelSettings)),
  notifications: await readSection(context, channelNotifications),
})

export const settings = endpoint({
  method: 'GET',
  path: '/api/channels/settings',
  summary: 'Get the public base URL and your notifications',
  returns: Settings,
  run: (_, context) => shownSettings(context),
})

export const updateSettings = endpoint({
  method: 'PUT',
  path: '/api/channels/settings',
  summary: 'Change the public base URL (administrators) and your notifications',
  body: subsetOf(Settings),
  before: (_, context) => shownSettings(context),
  returns: Settings,
  async run({ body: { public_base_url, notifications } }, context) {
    if (notifications?.channel_id) await requireChannel(context, notifications.channel_id)
    if (public_base_url !== undefined) {
      requireAccess('admin', context)
      await changeSection(context, channelSettings, { public_base_url })
    }
    if (notifications) await changeSection(context, channelNotifications, notifications)
    return shownSettings(context)
  },
})

export const bindings = endpoint({
  method: 'GET',
  path: '/api/channels/bindings',
  summary: 'List bindings, which choose the agent for a chat',
  query: pageQuery().extend({ channel_id: z.string().optional() }),
  returns: listOf('bindings', Binding),
  async run({ query }, context) {
    const { limit, offset } = query
    const { rows: bindings, total } = await listBindings(context, query)
    return { bindings, total, limit, offset }
  },
})

export const createBinding = endpoint({
  method: 'POST',
  path: '/api/channels/bindings',
  summary: 'Bind messages to an agent; the most specific binding wins',
  body: NewBinding,
  returns: Binding,
  status: 201,
  run: ({ body }, context) => addBinding(context, body),
})

export const showBinding = endpoint({
  method: 'GET',
  path: '/api/channels/bindings/{id}',
  summary: 'Get a binding',
  returns: Binding,
  run: ({ params }, context) => requireBinding(context, params.id),
})

export const updateBinding = endpoint({
  method: 'PUT',
  path: '/api/channels/bindings/{id}',
  summary: 'Change a binding',
  body: BindingChanges,
  before: ({ params }, context) => requireBinding(context, params.id),
  returns: Binding,
  run: ({ params, body }, context) => editBinding(context, params.id, body),
})

export const deleteBinding = removal({
  path: '/api/channels/bindings/{id}',
  summary: 'Delete a binding',
  remove: removeBinding,
})

export const list = endpoint({
  method: 'GET',
  path: '/api/channels',
  summary: 'List channels, oldest first',
  query: pageQuery().extend({ platform: PlatformId.optional() }),
  returns: listOf('channels', Channel),
  async run({ query }, context) {
    const { limit, offset } = query
    const { rows: channels, total } = await listChannels(context, query)
    const shown = await Promise.all(channels.map((channel) => publicChannel(context, channel)))
    return { channels: shown, total, limit, offset }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/channels',
  summary: 'Create a channel; setting credentials requires the scope admin',
  body: NewChannel,
  returns: Channel,
  status: 201,
  run: ({ body }, context) => addChannel(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/channels/{id}',
  summary: 'Get a channel',
  returns: Channel,
  run: async ({ params }, context) => publicChannel(context, await requireChannel(context, params.id)),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/channels/{id}',
  summary: 'Change a channel; setting credentials requires the scope admin, and null removes one',
  body: ChannelChanges,
  before: ({ params }, context) => requireChannel(context, params.id),
  returns: Channel,
  run: ({ params, body }, context) => editChannel(context, params.id, body),
})

export const remove = removal({
  path: '/api/channels/{id}',
  summary: 'Delete a channel with its bindings and pairings; its conversations are kept',
  remove: removeChannel,
})

export const test = verbOf(channels, 'test', {
  summary: 'Test the credentials of a channel by calling its platform',
  idempotent: false,
  returns: ChannelTest,
  run: testChannel,
})

export const connect = verbOf(channels, 'connect', {
  summary:
    'Enable a channel, register its webhook address if the platform supports it, and check the credentials',
  idempotent: false,
  returns: Channel,
  run: connectChannel,
})

export const disconnect = verbOf(channels, 'disconnect', {
  summary: 'Disable a channel, so that it neither receives nor sends',
  idempotent: false,
  returns: Channel,
  run: disconnectChannel,
})

export const send = verbOf(channels, 'send', {
  summary: 'Send a message on a channel, to its paired owner by default',
  body: SendRequest,
  status: 202,
  returns: z.object({ message_id: z.string() }),
  async run(context, channel_id, { text, to, attachments }) {
    return {
      message_id: await sendToChannel(context, { channel_id, markdown: text, to, files: attachments }),
    }
  },
})

export const log = logOf(channels, 'log', {
  summary: 'List the latest deliveries, refusals and errors of a channel, newest first',
  items: 'entries',
  item: LogEntry,
  rows: listLog,
})
