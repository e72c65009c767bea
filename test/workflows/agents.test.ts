import { expect, test } from 'vitest'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { Host } from '../../runtime/host.ts'
import type { ToolScope } from '../../runtime/tools/tool.ts'
import { exposedTools, workflow } from '../../runtime/workflows/tool.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, executionsOf, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const say = { type: 'set', params: { values: { said: '=input.text' }, keep_input: false } }
const exposed = { settings: { expose_as_tool: true } }

const toolsOf = (host: Host) => exposedTools({ sql: host.sql, caller: adminCaller })

test('an exposed workflow is a tool with its own input, as long as it is not disabled', async () => {
  const host = await testHost()
  const input_schema = {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  }
  await created(host, drawn({ start, say }, ['start → say'], { ...exposed, input_schema }))
  await created(host, drawn({ start }, []))
  const [tool, ...others] = await toolsOf(host)
  expect(others).toEqual([])
  expect(tool).toMatchObject({ name: 'workflow_test', input_schema })
  expect(tool?.input.safeParse({}).success).toBe(false)
  const context = localContext(host)
  const scope = { context, signal: context.signal } as ToolScope
  const answer = tool?.run({ text: 'hi' }, scope)
  await workOff(host)
  expect(await answer).toMatchObject({ status: 'succeeded', output: { said: 'hi' } })
})

test.each([
  ['set', 'medium'],
  ['code', 'medium'],
  ['agent', 'high'],
  ['tool', 'high'],
  ['sub_workflow', 'high'],
])('a workflow with a node %s is for an agent of %s risk', async (type, risk) => {
  const host = await testHost()
  await created(host, drawn({ start, node: { type } }, ['start → node'], exposed))
  const [tool] = await toolsOf(host)
  expect(tool?.risk({})).toBe(risk)
  expect(tool?.effect({})).toBe('write')
  expect(workflow.risk({ action: 'run' })).toBe('high')
})

test('an agent that a workflow has started runs workflows at most ten deep', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start }, [], exposed))
  const [tool] = await toolsOf(host)
  const scopeAt = (chain_depth: number) => {
    const context = { ...localContext(host), chain_depth }
    return { context, signal: context.signal } as ToolScope
  }
  const answer = tool?.run({}, scopeAt(10))
  await workOff(host)
  expect(await answer).toMatchObject({ status: 'succeeded' })
  expect(await executionsOf(host, id)).toHaveLength(1)
  await expect(tool?.run({}, scopeAt(11))).rejects.toThrow('at most 10 levels deep')
})

test('a workflow whose agent causes the event that starts it ends', async () => {
  const host = await testHost()
  const node = { go: { type: 'trigger.event', params: { event: 'agent.run.started' } } }
  const agent = { type: 'agent', params: { prompt: 'Say hello' } }
  const { id } = await created(host, drawn({ ...node, agent }, ['go → agent']))
  expect((await call(workflows.activate, host, { params: { id } })).status).toBe(200)
  await workOff(host)
  await started(host, id)
  await workOff(host)
  const runs = await executionsOf(host, id)
  expect(runs).toHaveLength(12)
  expect(runs[0]).toMatchObject({ status: 'failed', error: { code: 'too_deep' } })
})

test('a node for tools runs no workflow', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start }, [], exposed))
  for (const [tool, input] of [
    ['workflow', { action: 'run', workflow: id }],
    ['workflow_test', {}],
  ] as const) {
    const { id: other } = await created(
      host,
      drawn({ start, run: { type: 'tool', params: { tool, input } } }, ['start → run']),
    )
    await expect(started(host, other)).rejects.toThrow('is not a tool of this agent')
  }
})

test('the state of an execution needs its id', async () => {
  const context = localContext(await testHost())
  const scope = { context, signal: context.signal } as ToolScope
  await expect(workflow.run({ action: 'status' }, scope)).rejects.toThrow('status needs `execution_id`')
})
