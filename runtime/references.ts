import { z } from 'zod'

/** What a field can refer to, as named in its message. The areas that own the things say whether one exists. */
export const descriptions = {
  agent: 'the id of an agent',
  channel: 'the id of a channel',
  conversation: 'the id of a conversation',
  credential: 'the name or id of a credential',
  decision: 'the id of a decision',
  delivery_channel: 'none, chat, email, webhook or the id of a channel',
  device: 'the id of a device',
  device_group: 'the id of a device group',
  dispatcher_target: 'the id of an agent or a page of the settings',
  file: 'the id of a file',
  job: 'the id of a job',
  loop: 'the id of a loop',
  model: 'a model as provider/model, with one of the supported providers',
  project: 'the id of a project',
  own_project: 'the id of one of your projects',
  provider: 'one of the supported providers',
  recording: 'the id of a recording',
  skill: 'the name or id of a skill, or *',
  table: 'the id of a table',
  tool: 'the name of a tool, the beginning of one and *, or *',
  tool_server: 'the name or id of a tool server, or *',
  user: 'everyone or the id of a user',
  workflow: 'the id of a workflow',
} as const
export type ReferenceKind = keyof typeof descriptions

/**
 * Parts of the thing in the path, such as a task of a project, and names outside of the daemon. The endpoint that uses them
 * checks them.
 */
export const partKinds = [
  'approval',
  'batch',
  'change',
  'column',
  'delivery',
  'elsewhere',
  'execution',
  'message',
  'node',
  'peer',
  'phase',
  'row',
  'tab',
  'task',
  'vendor_model',
] as const
export type PartKind = (typeof partKinds)[number]

/** A text that refers to a thing. The name of the kind is also the `x-format` of the JSON Schema. */
export const reference = (kind: ReferenceKind | PartKind, max = 200) => z.string().max(max).meta({ 'x-format': kind })

/** A text that refers to a thing whose kind depends on another member of its object; to nothing if that is not listed. */
export const referenceBy = (member: string, kinds: Readonly<Record<string, ReferenceKind>>, max = 200) =>
  z.string().min(1).max(max).meta({ 'x-format': { member, kinds } })
