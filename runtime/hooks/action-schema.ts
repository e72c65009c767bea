import { z } from 'zod'
import { type ReferenceKind, reference } from '../references.ts'

/** Text with `{{ JSONata }}`, or one expression after `=`. */
const Template = z.string().max(50_000).meta({
  description: 'Text that may contain JSONata {{ expressions }}',
  format: 'multiline',
})
const Message = Template.min(1)
const idOf = (kind: ReferenceKind) => reference(kind, 100).min(1)

/** Actions that both incoming webhooks and hooks can start. */
const starting = [
  /** Sends the message to an agent in a new conversation; to the default agent if `agent_id` is null. */
  z.object({
    kind: z.literal('agent'),
    agent_id: idOf('agent').nullable().default(null),
    message: Message,
  }),
  /** Sends the message to a conversation, whose agent answers it. */
  z.object({ kind: z.literal('message'), conversation_id: idOf('conversation'), message: Message }),
  /** `input`: the value of the expression; if empty, all received data. */
  z.object({
    kind: z.literal('workflow'),
    workflow_id: idOf('workflow'),
    input: Template.default('').meta({
      description: 'An expression after =, such as ={"order": body.id}. Leave blank to send all received data',
    }),
  }),
  z.object({ kind: z.literal('job'), job_id: idOf('job') }),
  z.object({ kind: z.literal('loop'), loop_id: idOf('loop') }),
  /** Runs the approved plan of a project again as a new project. */
  z.object({ kind: z.literal('project'), project_id: idOf('project') }),
] as const

const startLabels = {
  agent: 'Start an agent',
  message: 'Send to a conversation',
  workflow: 'Run a workflow',
  job: 'Run a job',
  loop: 'Start a loop',
  project: 'Run a project again',
}

export const StartAction = z
  .discriminatedUnion('kind', starting)
  .meta({ title: 'Action', labels: { ...startLabels, null: 'Record only' } })
export type StartAction = z.output<typeof StartAction>

/** Actions of hooks. */
export const HookAction = z
  .discriminatedUnion('kind', [
    ...starting,
    z.object({
      kind: z.literal('http'),
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
      url: z.url({ protocol: /^https?$/ }).max(2_000),
      /** Stored encrypted and shown by their end. A header that is sent back as it was shown stays. */
      headers: z.record(z.string().max(200), z.string().max(8_000)).default({}),
      /** If empty, the event as JSON. */
      body: Template.default('').meta({ description: 'Leave blank to send the event as JSON' }),
    }),
    /** Sends a message in the hook's conversation, an email to its owner, or a message on a channel such as Telegram. */
    z.object({
      kind: z.literal('notify'),
      channel: z
        .enum(['chat', 'email', 'channel'])
        .default('chat')
        .meta({
          title: 'Where',
          labels: { chat: 'In a conversation', email: 'By email', channel: 'On a channel' },
        }),
      /** The channel whose paired owner gets the message; null unless it is sent on a channel. */
      channel_id: idOf('channel').nullable().default(null).meta({ title: 'Channel' }),
      message: Message,
    }),
    /** The value of a JSONata expression: `allow`, `deny`, `ask`, or `{decision, reason, input}`. */
    z.object({
      kind: z.literal('decide'),
      expression: z.string().min(1).max(50_000).meta({
        title: 'Rule',
        description:
          "JSONata over data, where data.input is the tool's input, and data.input.message the text of a message. It returns 'allow', 'deny', 'ask', or an object with decision, reason and input",
        format: 'expression',
      }),
    }),
  ])
  .meta({
    title: 'Action',
    labels: { notify: 'Notify me', ...startLabels, http: 'Send a request', decide: 'Decide with a rule' },
  })
export type HookAction = z.output<typeof HookAction>
