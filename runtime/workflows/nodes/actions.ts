import { z } from 'zod'
import { workingAgent } from '../../agents/index.ts'
import { awaitReplay, findRecording, hasEnded, startReplay } from '../../browser/index.ts'
import { commandEnd, findOwnDevice, NewCommand, sendCommand } from '../../devices/index.ts'
import { PathRefused } from '../../ports/files.ts'
import { iso } from '../../time.ts'
import { markTainted } from '../../tools/store.ts'
import { rootOf, Workspace } from '../../tools/workspace.ts'
import { readable } from '../../validation.ts'
import { isSameJson } from '../../values.ts'
import { withField } from '../field-path.ts'
import { type FileValue, isFile } from '../file-value.ts'
import { openFile, storeFile } from '../item-files.ts'
import { agentId, NodeError, type NodeScope, nodeType, permanentError, refusal } from '../node-type.ts'

export const file = nodeType({
  type: 'file',
  title: 'File',
  description:
    "Reads, writes, appends to, lists or searches files in an agent's workspace. The output depends on the action: {text}, {file}, {path, size_bytes}, {files} or {matches}.",
  category: 'action',
  params: z.object({
    action: z
      .enum(['read', 'read_file', 'write', 'append', 'list', 'search'])
      .default('read')
      .meta({ labels: { read: 'Read as text', read_file: 'Read as a file' } }),
    path: z.string().max(1_000).default('').meta({ description: 'Below the workspace, such as notes/plan.md' }),
    content: z
      .unknown()
      .optional()
      .meta({ description: 'Text and files as they are; everything else as JSON', 'x-format': 'multiline' }),
    into: z.string().max(200).default('file').meta({ description: 'The field that gets a file that was read' }),
    query: z.string().max(1_000).default('').meta({ description: 'For search' }),
    agent_id: agentId('Whose workspace. Leave blank for the default agent'),
  }),
  risk: 'medium',
  side_effects: true,
  effect: ({ action }) => action === 'append',
  async run({ action, path, content, into, query, agent_id }, scope) {
    const { context, node } = scope
    const agent = await workingAgent(context, agent_id || null)
    const root = await rootOf({ context, agent, project_id: null })
    const workspace = new Workspace(context.files, root, context.signal)
    if (action === 'list') return { output: { files: await workspace.list(path) } }
    if (action === 'search') return { output: { matches: await workspace.search(path, query, 200) } }
    if (path === '') throw permanentError('invalid_params', 'path is required')
    if (action === 'read') {
      const { text, partial } = await workspace.read(path)
      return { output: { path, text, partial } }
    }
    if (action === 'read_file') return { output: withField({ path }, into, await takeFile(scope, root, path)) }
    if (action === 'write' && isFile(content)) {
      const { content: pieces } = await openFile(context, content)
      await context.commit([markTainted(root, path, iso(context.clock.now()))])
      const { size_bytes } = await context.files.writeStream(root, path, pieces).catch(refusedPath)
      return { output: { path, size_bytes } }
    }
    const text = typeof content === 'string' ? content : (JSON.stringify(content, null, 2) ?? '')
    // An agent that reads it later reads what an expression put there.
    const isDrawn = isSameJson(content, node.params.content)
    return workspace.change(path, async (file) => {
      if (!isDrawn) await context.commit([markTainted(root, path, iso(context.clock.now()))])
      const before = action === 'append' ? ((await file.read()) ?? '') : ''
      return { output: { path, size_bytes: await file.write(before + text) } }
    })
  },
})

/** A file of a workspace as a file of the execution. */
async function takeFile(scope: NodeScope, root: string, path: string): Promise<FileValue> {
  const pieces = await scope.context.files.readStream(root, path).catch(refusedPath)
  if (!pieces) throw permanentError('no_file', `There is no file ${path}`)
  return storeFile(scope, { name: path, pieces })
}

function refusedPath(thrown: unknown): never {
  if (thrown instanceof PathRefused) throw permanentError('invalid_path', `The path cannot be used: ${thrown.message}`)
  throw thrown
}

export const deviceCommand = nodeType({
  type: 'device_command',
  title: 'Device command',
  description: 'Runs a command on a device and continues with its output.',
  category: 'action',
  params: z.object({
    device_id: z.string().min(1).max(64).meta({ 'x-format': 'device' }),
    command: z.string().min(1).max(64).meta({ description: 'For example notify, open_url or screenshot' }),
    args: z.record(z.string(), z.unknown()).default({}).meta({ title: 'Arguments' }),
    timeout_seconds: z.int().min(1).max(3_600).default(60).meta({ title: 'Time limit in seconds' }),
    queue_if_offline: z
      .boolean()
      .default(false)
      .meta({ description: 'If the device is offline, wait up to an hour; otherwise the node fails' }),
  }),
  risk: 'high',
  side_effects: true,
  effect: () => true,
  async problems({ device_id, command }, context) {
    const device = await findOwnDevice(context, device_id)
    if (!device || device.status === 'revoked')
      return [{ field: 'device_id', message: `is not a device of yours: ${device_id}` }]
    if (!device.capabilities.includes(command))
      return [{ field: 'command', message: `is not offered by ${device.name}: ${command}` }]
    return device.allowed_commands.includes(command)
      ? []
      : [{ field: 'command', message: `must be approved on the page of ${device.name}: ${command}` }]
  },
  async run({ device_id, args, ...rest }, { context }) {
    const parsed = NewCommand.safeParse({ ...rest, params: args, queue_seconds: 3_600 }, readable)
    if (!parsed.success) throw permanentError('invalid_params', `command ${parsed.error.issues[0]?.message}`)
    try {
      const { id } = await sendCommand(context, device_id, parsed.data)
      const ended = await commandEnd(context, id, context.signal)
      if (ended?.status === 'succeeded') return { output: ended.output }
      const status = ended?.status ?? 'deleted'
      throw new NodeError(`device_${status}`, ended?.error ?? `The command was ${status}`, {
        // A person has stopped it.
        permanent: status === 'cancelled',
        // The device has answered, or was never sent the command.
        definite: status === 'failed' || status === 'expired',
      })
    } catch (thrown) {
      throw refusal(thrown)
    }
  },
})

/** Seconds for which a replay is awaited. */
const timeLimit = 3_600

export const browserReplay = nodeType({
  type: 'browser_replay',
  title: 'Replay a recording',
  description: 'Repeats recorded steps in the browser, without a model. Its output is {replay_id, status, steps}.',
  category: 'action',
  params: z.object({
    recording_id: z.string().min(1).max(64).meta({ 'x-format': 'recording' }),
    variables: z.record(z.string().max(200), z.string().max(10_000)).default({}),
    speed: z.number().min(0.25).max(10).default(1),
  }),
  risk: 'high',
  side_effects: true,
  effect: () => true,
  async problems({ recording_id }, context) {
    const recording = await findRecording(context, recording_id)
    return recording ? [] : [{ field: 'recording_id', message: `is not a recording of yours: ${recording_id}` }]
  },
  async run({ recording_id, variables, speed }, { context }) {
    try {
      const options = { speed, variables, stop_on_error: true }
      const { replay_id } = await startReplay(context, recording_id, options as Parameters<typeof startReplay>[2])
      const replay = await awaitReplay(context, replay_id, timeLimit)
      if (!hasEnded(replay)) throw new NodeError('timeout', 'The replay takes too long')
      if (replay.status !== 'completed') throw new NodeError('replay_failed', replay.error ?? 'The replay failed')
      return { output: { replay_id, status: replay.status, steps: replay.steps.length } }
    } catch (thrown) {
      throw refusal(thrown)
    }
  },
})
