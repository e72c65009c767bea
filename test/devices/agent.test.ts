import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { send as ask } from '../../handlers/chat/stream.ts'
import * as devices from '../../handlers/devices/devices.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { deviceCommand } from '../../runtime/devices/tool.ts'
import { StoreUnreachable } from '../../runtime/ports/sql.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import type { ToolScope } from '../../runtime/tools/tool.ts'
import { call } from '../support/call.ts'
import { onlyApproval } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, started } from '../workflows/kit.ts'
import { approved, connect, paired, quiet, work } from './kit.ts'

async function scopeOf(host: MemoryHost, shown: string[] = []): Promise<ToolScope> {
  const context = localContext(host)
  const agent = await requireDefaultAgent(host)
  const show: ToolScope['show'] = async ({ name }) => void shown.push(name)
  const { signal } = new AbortController()
  const rest = {
    conversation_id: 'conv_1',
    project_id: null,
    message_id: 'msg_1',
    call_id: 'call_1',
    tainted: false,
  }
  return { ...rest, context, agent, show, signal }
}

const run = async (host: MemoryHost, input: object, scope?: ToolScope) =>
  deviceCommand.run(deviceCommand.input.parse(input), scope ?? (await scopeOf(host)))

test('an agent lists the devices with the commands that are allowed', async () => {
  const host = await testHost()
  const { device_id } = await paired(host)
  expect(await run(host, { action: 'list' })).toEqual({
    devices: [{ id: device_id, name: 'Laptop', platform: 'linux', status: 'offline', commands: ['notify', 'health'] }],
  })
})

test.each([
  ['screenshot', { mime_type: 'image/png', base64: 'iVBORw==', width: 800 }, 'Laptop screenshot.png'],
  ['microphone', { mime_type: 'audio/wav', base64: 'UklGRg==' }, 'Laptop microphone.wav'],
])('an agent runs %s by the name of the device and gets its file', async (command, output, name) => {
  const host = await testHost()
  const capabilities = [command]
  const { device_token } = await approved(host, { capabilities })
  const socket = await connect(host, device_token, { capabilities })
  const shown: string[] = []
  const answer = run(host, { device: 'laptop', command }, await scopeOf(host, shown))
  await quiet(host)
  await work(host, socket, output)
  const { base64: _, ...about } = output
  expect(await answer).toEqual({ device: 'Laptop', command, output: about })
  expect(shown).toEqual([name])
})

test('a short loss of the database server does not end the wait for a result', async () => {
  const host = await testHost()
  const { device_id, device_token } = await paired(host)
  const socket = await connect(host, device_token)
  const answer = run(host, { device: device_id, command: 'health' })
  await quiet(host)
  const { read } = host.sql
  host.sql.read = () => Promise.reject(new StoreUnreachable('The database server cannot be reached'))
  await host.clock.advance(15 * second)
  host.sql.read = read
  await work(host, socket, { battery_pct: 90 })
  expect(await answer).toMatchObject({ output: { battery_pct: 90 } })
})

test('a refusal and a failure are text for the model', async () => {
  const host = await testHost()
  const { device_token } = await approved(host)
  await expect(run(host, { device: 'Nobody', command: 'notify' })).rejects.toThrow('Available devices: Laptop')
  await expect(run(host, { device: 'Laptop', command: 'health' })).rejects.toThrow('Laptop is offline')
  const socket = await connect(host, device_token)
  const answer = run(host, { device: 'Laptop', command: 'health' })
  answer.catch(() => undefined)
  await quiet(host)
  socket.say({ type: 'result', id: socket.of('command')[0]?.id, ok: false, error: 'No battery' })
  await quiet(host)
  await expect(answer).rejects.toThrow('Laptop: No battery')
})

test.each([
  [{ action: 'list' }, 'read', 'low'],
  [{ command: 'notify' }, 'write', 'low'],
  [{ command: 'open_url' }, 'write', 'medium'],
  [{ command: 'system.run' }, 'write', 'high'],
  [{ command: 'lamp.toggle' }, 'write', 'high'],
])('%j is a %s of %s risk', (input, effect, risk) => {
  const parsed = deviceCommand.input.parse(input)
  expect([deviceCommand.effect(parsed), deviceCommand.risk(parsed)]).toEqual([effect, risk])
})

test('a workflow runs a command and continues with its output', async () => {
  const host = await testHost()
  const { device_id, device_token } = await approved(host)
  const socket = await connect(host, device_token)
  const params = { device_id, command: 'notify', args: { title: '{{ 1 + 1 }}' } }
  const { id } = await created(
    host,
    drawn({ start: { type: 'trigger.manual' }, ask: { type: 'device_command', params } }, ['start → ask']),
  )
  const execution_id = await started(host, id)
  await tick(host)
  await quiet(host)
  await work(host, socket, { shown: true })
  await host.process.running.settled()
  expect(await execution(host, execution_id)).toMatchObject({ status: 'succeeded', output: { shown: true } })
})

test('a workflow names a device or command that it cannot use', async () => {
  const host = await testHost()
  const { device_id } = await paired(host)
  await call(devices.update, host, { params: { id: device_id }, body: { allowed_commands: [] } })
  const { validate } = await import('../../handlers/workflows/workflows.ts')
  const using = (params: object) =>
    drawn({ start: { type: 'trigger.manual' }, ask: { type: 'device_command', params } }, ['start → ask'])
  const problems = async (params: object) => {
    const { id } = await created(host, using(params))
    return (await call(validate, host, { params: { id } })).text()
  }
  await expect(created(host, using({ device_id: 'dev_x', command: 'notify' }))).rejects.toThrow(
    'must be the id of a device',
  )
  expect(await problems({ device_id, command: 'camera' })).toContain('is not offered by Laptop')
  expect(await problems({ device_id, command: 'notify' })).toContain('must be approved')
})

test('a device shows what waits for its owner and approves it, once it may', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const host = await testHost({ models: scriptedModels(write, text('Written.')) })
  const capabilities = ['notify', 'approvals']
  const { device_id, device_token } = await paired(host, { capabilities })
  const socket = await connect(host, device_token, { capabilities })
  await call(ask, host, { body: { message: 'Write a note' } })
  await workOff(host)
  await quiet(host)
  const approval = await onlyApproval(host)
  expect(socket.of('approvals')).toEqual([])
  socket.say({ type: 'approval', approval_id: approval.id, approved: true })
  await quiet(host)
  expect(socket.of('refused')).toHaveLength(1)
  expect((await onlyApproval(host)).status).toBe('pending')

  const allowed_commands = capabilities
  await call(devices.update, host, { params: { id: device_id }, body: { allowed_commands } })
  await quiet(host)
  expect(socket.of('approvals').at(-1)).toMatchObject({
    total: 1,
    approvals: [{ id: approval.id, agent_reason: null, input_text: 'action: write\npath: note.txt\ncontent: tea' }],
  })
  socket.say({ type: 'approval', approval_id: approval.id, approved: true })
  await quiet(host)
  expect(socket.of('approval_result')).toEqual([
    { type: 'approval_result', approval_id: approval.id, ok: true, error: null },
  ])
  expect((await onlyApproval(host)).status).toBe('approved')
  expect(socket.of('approvals').at(-1)).toMatchObject({ total: 0 })
  socket.say({ type: 'approval', approval_id: approval.id, approved: false })
  await quiet(host)
  expect(socket.of('approval_result').at(-1)).toMatchObject({ ok: false })
})

test('an input that is too long for a device is not shown in part, and not approved there', async () => {
  const content = 'tea '.repeat(5_000)
  const host = await testHost({
    models: scriptedModels(toolCall('files', { action: 'write', path: 'a.txt', content })),
  })
  const capabilities = ['notify', 'approvals']
  const { device_id, device_token } = await paired(host, { capabilities })
  await call(devices.update, host, { params: { id: device_id }, body: { allowed_commands: capabilities } })
  const socket = await connect(host, device_token, { capabilities })
  await call(ask, host, { body: { message: 'Write a note' } })
  await workOff(host)
  await quiet(host)
  const { id: approval_id } = await onlyApproval(host)
  expect(socket.of('approvals').at(-1)).toMatchObject({ approvals: [{ input: null, input_text: null }] })
  socket.say({ type: 'approval', approval_id, approved: true })
  await quiet(host)
  expect(socket.of('approval_result').at(-1)).toMatchObject({
    ok: false,
    error: expect.stringContaining('Inbox page'),
  })
  expect((await onlyApproval(host)).status).toBe('pending')
  socket.say({ type: 'approval', approval_id, approved: false })
  await quiet(host)
  expect((await onlyApproval(host)).status).toBe('rejected')
})
