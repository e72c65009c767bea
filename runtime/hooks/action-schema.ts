import { z } from 'zod'
import { type ReferenceKind, reference } from '../references.ts'

/** Text with `{{ JSONata }}`, or one expression after `=`. */
const Template = z.string().max(50_000)
const idOf = (kind: ReferenceKind) => reference(kind, 100).min(1)

/** Actions that both incoming webhooks and hooks can start. */
const starting = [
  /** Sends the message to an agent in a new conversation; to the default agent if `agent_id` is null. */
  z.object({
    kind: z.literal('agent'),
    agent_id: idOf('agent').nullable().default(null),
    message: Template.min(1),
  }),
  /** Sends the message to a conversation, whose agent answers it. */
  z.object({ kind: z.literal('message'), conversation_id: idOf('conversation'), message: Template.min(1) }),
  /** `input`: the value of the expression; if empty, all received data. */
  z.object({ kind: z.literal('workflow'), workflow_id: idOf('workflow'), input: Template.default('') }),
  z.object({ kind: z.literal('job'), job_id: idOf('job') }),
  z.object({ kind: z.literal('loop'), loop_id: idOf('loop') }),
  /** Runs the approved plan of a project again as a new project. */
  z.object({ kind: z.literal('project'), project_id: idOf('project') }),
] as const

export const StartAction = z.discriminatedUnion('kind', starting)
export type StartAction = z.output<typeof StartAction>

/** Actions of hooks. */
export const HookAction = z.discriminatedUnion('kind', [
  ...starting,
  z.object({
    kind: z.literal('http'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    url: z.url({ protocol: /^https?$/ }).max(2_000),
    /** Stored encrypted and shown by their end. A header that is sent back as it was shown stays. */
    headers: z.record(z.string().max(200), z.string().max(8_000)).default({}),
    /** If empty, the event as JSON. */
    body: Template.default(''),
  }),
  /** Sends a message in the hook's conversation, an email to its owner, or a message on a channel such as Telegram. */
  z.object({
    kind: z.literal('notify'),
    channel: z.enum(['chat', 'email', 'channel']).default('chat'),
    /** The channel whose paired owner gets the message; null unless it is sent on a channel. */
    channel_id: idOf('channel').nullable().default(null),
    message: Template.min(1),
  }),
  /** The value of a JSONata expression: `allow`, `deny`, `ask`, or `{decision, reason, input}`. */
  z.object({ kind: z.literal('decide'), expression: z.string().min(1).max(50_000) }),
])
export type HookAction = z.output<typeof HookAction>
