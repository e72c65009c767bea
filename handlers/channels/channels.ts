import { z } from 'zod'
import { requireAccess } from '../../runtime/auth/authorise.ts'
import { changeAddress } from '../../runtime/channels/change-address.ts'
import { type ChannelFilter, listBindings, listChannels } from '../../runtime/channels/channel-store.ts'
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
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { subsetOf } from '../../runtime/sections/merge.ts'
import { changeSection, readSection } from '../../runtime/sections/section.ts'

const channels = {
  path: '/api/channels',
  items: 'channels',
  summaries: {
    list: 'List channels, oldest first',
    create: 'Create a channel; setting credentials requires the scope admin',
    show: 'Get a channel',
    update: 'Change a channel; setting credentials requires the scope admin, and null removes one',
    remove: 'Delete a channel with its bindings and pairings; its conversations are kept',
  },
  New: NewChannel,
  Changes: ChannelChanges,
  Row: Channel,
  query: pageQuery().extend({ platform: PlatformId.optional() }),
  async list(context: Context, query: ChannelFilter) {
    const { rows, total } = await listChannels(context, query)
    return { rows: await Promise.all(rows.map((channel) => publicChannel(context, channel))), total }
  },
  add: addChannel,
  require: requireChannel,
  show: publicChannel,
  edit: editChannel,
  remove: removeChannel,
} as const

export const platforms = endpoint('GET /api/channels/platforms', {
  owner: 'none',
  summary: 'List the platforms with their credentials and setup steps',
  returns: z.object({ platforms: z.array(PlatformInfo) }),
  async run(_, context) {
    const loaded = await Promise.all(PlatformId.options.map((name) => platformOf(context, name)))
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

export const settings = endpoint('GET /api/channels/settings', {
  summary: 'Get the public base URL and your notifications',
  returns: Settings,
  run: (_, context) => shownSettings(context),
})

export const updateSettings = endpoint('PUT /api/channels/settings', {
  summary: 'Change the public base URL (administrators) and your notifications',
  body: subsetOf(Settings),
  before: (_, context) => shownSettings(context),
  returns: Settings,
  async run({ body: { public_base_url, notifications } }, context) {
    if (notifications?.channel_id) await requireChannel(context, notifications.channel_id)
    if (public_base_url !== undefined) {
      requireAccess('admin', context)
      await changeAddress(context, { public_base_url })
    }
    if (notifications) await changeSection(context, channelNotifications, notifications)
    return shownSettings(context)
  },
})

export const {
  list: bindings,
  create: createBinding,
  show: showBinding,
  update: updateBinding,
  remove: deleteBinding,
} = endpointsOf({
  path: '/api/channels/bindings',
  items: 'bindings',
  summaries: {
    list: 'List bindings, which choose the agent for a chat',
    create: 'Bind messages to an agent; the most specific binding wins',
    show: 'Get a binding',
    update: 'Change a binding',
    remove: 'Delete a binding',
  },
  New: NewBinding,
  Changes: BindingChanges,
  Row: Binding,
  query: pageQuery().extend({ channel_id: z.string().optional() }),
  list: listBindings,
  add: addBinding,
  require: requireBinding,
  edit: editBinding,
  remove: removeBinding,
})

export const { list, create, show, update, remove } = endpointsOf(channels)

export const test = verbOf(channels, 'test', {
  summary: 'Test the credentials of a channel by calling its platform',
  idempotent: false,
  returns: ChannelTest,
  run: testChannel,
})

export const connect = verbOf(channels, 'connect', {
  summary: 'Enable a channel, register its webhook address if the platform supports it, and check the credentials',
  idempotent: false,
  run: connectChannel,
})

export const disconnect = verbOf(channels, 'disconnect', {
  summary: 'Disable a channel, so that it neither receives nor sends',
  idempotent: false,
  run: disconnectChannel,
})

export const send = verbOf(channels, 'send', {
  summary: 'Send a message on a channel, to its paired owner by default',
  body: SendRequest,
  status: 202,
  returns: z.object({ message_id: z.string() }),
  run: async (context, channel_id, { text, to, attachments }) => ({
    message_id: await sendToChannel(context, { channel_id, markdown: text, to, files: attachments }),
  }),
})

export const log = logOf(channels, 'log', {
  summary: 'List the latest deliveries, refusals and errors of a channel, newest first',
  items: 'entries',
  item: LogEntry,
  rows: listLog,
})
