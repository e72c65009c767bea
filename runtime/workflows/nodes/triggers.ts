import { z } from 'zod'
import { isCheckable } from '../../credentials/index.ts'
import { eventTypes } from '../../events/types.ts'
import { reference } from '../../references.ts'
import { Schedule } from '../../schedules/schedule.ts'
import { nodeType } from '../node-type.ts'
import { allowedOrigins } from '../origins.ts'

/** A trigger passes on the input with which its execution was started. */
const run = async (_: unknown, { input }: { input: unknown }) => ({ output: input })

const common = { category: 'trigger', risk: 'low', pure: true, run } as const

export const manual = nodeType({
  ...common,
  type: 'trigger.manual',
  title: 'Manual start',
  description:
    'Starts when a person, an agent or another program runs the workflow. Its output is the input of the run.',
  params: z.object({}),
})

export const schedule = nodeType({
  ...common,
  type: 'trigger.schedule',
  title: 'Schedule',
  description:
    'Starts on a schedule, like jobs of the scheduler, and appears in their calendar. Its output is {job_id, started_at, trigger}.',
  params: z.object({
    schedule: Schedule.meta({
      description: 'For example {"type": "cron", "expression": "0 9 * * *"} or {"type": "every", "interval": 3600}',
      'x-format': 'schedule',
    }),
  }),
})

/** What a webhook accepts and how its caller is answered. */
export const WebhookParams = z.object({
  methods: z
    .array(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .default(['POST']),
  credential: reference('credential', 64)
    .default('')
    .meta({
      title: 'Credential',
      description: 'What the caller must send. Without one, whoever knows the address may call it',
      labels: { null: 'None' },
    }),
  response: z.enum(['at_once', 'at_end', 'respond_node', 'stream']).default('at_once').meta({
    description:
      'When the caller is answered: at once with 202, at the end with the output of the run, by a respond node, or as a stream of what models write, as they write it, and all respond nodes give',
  }),
  stream_format: z
    .enum(['text', 'json_lines'])
    .default('text')
    .meta({
      title: 'Format of a stream',
      labels: { text: 'Text', json_lines: 'Lines of JSON' },
      description: 'Lines of JSON are what chat clients of n8n read: {type: begin, item or end, content, metadata}',
    }),
  output: z
    .enum(['message', 'body'])
    .default('message')
    .meta({
      labels: { message: 'Method, query, headers and body', body: 'The body alone' },
    }),
  first_item: z
    .boolean()
    .default(false)
    .meta({ title: 'First item only', description: 'At the end, of an output that is a list' }),
  wait_seconds: z.int().min(1).max(300).default(60).meta({
    title: 'Wait',
    unit: 'seconds',
    description: 'How long the caller waits; then the answer is 202 with the id of the execution',
  }),
  calls_per_minute: z.int().min(1).max(1_000_000).default(120).meta({ title: 'Most calls', unit: 'per minute' }),
  max_kilobytes: z.int().min(1).max(16_384).default(256).meta({ title: 'Largest body', unit: 'KB' }),
  allowed_origins: allowedOrigins,
})

export const webhook = nodeType({
  ...common,
  type: 'trigger.webhook',
  title: 'Webhook',
  description:
    'Starts when its address is called. The address is shown when the workflow is active. Its output is {method, query, headers, body}.',
  params: WebhookParams,
  sample: { method: 'POST', query: {}, headers: { 'content-type': 'application/json' }, body: {} },
  async problems({ credential }, context) {
    if (credential === '' || (await isCheckable(context, credential))) return []
    return [
      { field: 'credential', message: 'cannot be of the kind OAuth 2: its tokens are known to their service only' },
    ]
  },
})

export const onEvent = nodeType({
  ...common,
  type: 'trigger.event',
  title: 'Event',
  description: 'Starts when something happens in hearthd, such as project.completed. Its output is {type, ts, data}.',
  params: z.object({
    event: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .meta({ description: 'Type of the event, such as file.uploaded', 'x-format': 'event' }),
    filter: z
      .string()
      .max(20_000)
      .default('')
      .meta({ description: 'Only if this is true; data is that of the event', 'x-language': 'jsonata' }),
  }),
  code: { filter: 'jsonata' },
  sample: { type: 'project.completed', ts: '2026-01-02T03:04:05.678Z', data: {} },
  async problems({ event }, context) {
    const isKnown = (await eventTypes(context)).includes(event)
    return isKnown ? [] : [{ field: 'event', message: `is not the type of an event: ${event}` }]
  },
})

export const channel = nodeType({
  ...common,
  type: 'trigger.channel',
  title: 'Channel message',
  description:
    'Starts when a message arrives on a channel. Its output is {channel_id, platform, conversation_id, peer_kind, peer_id, sender_id, sender_name, from_owner, text}; the channel’s agent also answers the message.',
  params: z.object({
    channel_id: z
      .string()
      .max(64)
      .default('')
      .meta({ description: 'Leave blank for all channels', 'x-format': 'channel' }),
    only_owner: z
      .boolean()
      .default(true)
      .meta({ description: 'Only messages from the paired owner, because other people can write anything' }),
    filter: z.string().max(20_000).default('').meta({
      description: 'Starts only if this expression is true; data is the output',
      'x-language': 'jsonata',
    }),
  }),
  code: { filter: 'jsonata' },
  sample: {
    ...{ channel_id: 'chan_1', platform: 'telegram', conversation_id: 'conv_1', peer_kind: 'user', peer_id: '1' },
    ...{ sender_id: '1', sender_name: 'Ada', from_owner: true, text: 'Hello' },
  },
})
