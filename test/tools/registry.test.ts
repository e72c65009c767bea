import { expect, test } from 'vitest'
import { z } from 'zod'
import { NewAgent } from '../../runtime/agents/agents.ts'
import type { Agent } from '../../runtime/tools/agent.ts'
import { toolsFor, toSpec } from '../../runtime/tools/registry.ts'
import { testHost } from '../support/host.ts'
import { findTool, tools } from './bench.ts'

const agentWith = (changes: Record<string, unknown>): Agent => ({
  ...NewAgent.parse({ name: 'Tester', ...changes }),
  max_steps: 50,
  execution_mode: 'approval_required',
  id: 'agent_1',
  created_at: '',
  updated_at: '',
})
async function names(changes: Record<string, unknown>): Promise<string[]> {
  const agent = agentWith({ skills: [], ...changes })
  return (await toolsFor(agent, await testHost())).map(({ name }) => name)
}

const all = [
  'time',
  'arm_check_in',
  'delegate',
  'files',
  'memory_search',
  'memory_save',
  'browser',
  'schedule_job',
  'list_jobs',
  'cancel_job',
  'project',
  'loop',
  'workflow',
  'tables',
  'run_code',
  'device_command',
  'web_fetch',
  'http_request',
  'todo',
  'ask_user',
]

test('contains the built-in tools, each once', () => {
  // Without an engine no agent has `shell`, and without a channel none has `channel_send`.
  const offered = tools.map(({ name }) => name).filter((name) => !['shell', 'channel_send'].includes(name))
  expect(offered).toEqual(all)
  expect(findTool('shell')?.name).toBe('shell')
  expect(findTool('files')?.name).toBe('files')
  expect(findTool('rm')).toBeUndefined()
})

test.each<[string[], string[], string[]]>([
  [['*'], [], all],
  [[], [], []],
  [['time'], [], ['time']],
  [['memory_*', 'todo'], [], ['memory_search', 'memory_save', 'todo']],
  [['*'], ['memory_*', 'time'], all.filter((name) => !name.startsWith('memory_') && name !== 'time')],
  [['time'], ['*'], []],
  [['time'], ['time'], []],
  [['tim', 'Time', 'time?', '.*'], [], []],
])('allow %j, deny %j', async (allow, deny, expected) => {
  expect(await names({ tools: { allow, deny } })).toEqual(expected)
})

test('an agent without memory has no memory tools', async () => {
  expect(await names({ memory: { enabled: false } })).toEqual(all.filter((name) => !name.startsWith('memory_')))
})

test('an agent with skills can read them, unless denied', async () => {
  expect(await names({ skills: ['*'] })).toEqual([...all, 'skill'])
  expect(await names({ skills: ['*'], tools: { allow: ['*'], deny: ['skill'] } })).toEqual(all)
})

test.each(tools.map((tool) => [tool.name, tool] as const))(
  '%s describes its purpose and its input as a JSON Schema of an object',
  (_, tool) => {
    const spec = toSpec(tool)

    expect(spec.name).toMatch(/^[a-z_]{1,64}$/)
    expect(spec.description.length).toBeGreaterThan(80)
    expect(spec.input_schema).toMatchObject({ type: 'object', properties: expect.any(Object) })
    expect(spec.input_schema).not.toHaveProperty('$schema')
    expect(z.fromJSONSchema(spec.input_schema)).toBeDefined()
    expect(toSpec(tool).input_schema).toBe(spec.input_schema)
  },
)
