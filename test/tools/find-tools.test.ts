import { expect, test } from 'vitest'
import { update as changeAgent } from '../../handlers/agents/agents.ts'
import { connect, create as createServer } from '../../handlers/settings/mcp.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { estimateInput } from '../../runtime/providers/call.ts'
import { serverTools } from '../../runtime/settings/mcp/tools.ts'
import { toSpec } from '../../runtime/tools/registry.ts'
import { everythingCommand } from '../fixtures/mcp/everything.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { changeableServer, testToolServers } from '../support/tool-servers.ts'

/** Tools of a server for some things, with schemas of the usual size. */
const toolsFor = (product: string, things: readonly string[]) =>
  things.flatMap((thing) =>
    ['list', 'get', 'create', 'update', 'delete'].map((verb) => ({
      name: `${verb}_${thing}`,
      description:
        `${verb[0]?.toUpperCase()}${verb.slice(1)} a ${thing} in ${product}. Use this when the person names a ${thing} ` +
        'or its number. The result has its fields, its author, the dates of its changes and a link to it.',
      inputSchema: {
        type: 'object',
        required: ['project'],
        properties: {
          project: { type: 'string', description: 'The path of the project, such as team/website' },
          [`${thing}_id`]: { type: 'integer', description: `The number of the ${thing} in its project` },
          title: { type: 'string', maxLength: 255, description: 'A title of at most 255 characters' },
          labels: {
            type: 'array',
            items: { type: 'string' },
            description: 'Names of labels, all of which must exist',
          },
          state: { type: 'string', enum: ['open', 'closed', 'all'], default: 'open' },
          page: { type: 'integer', minimum: 1, default: 1, description: 'The page of the results' },
        },
      },
    })),
  )

/** A default agent with the tools of four servers, three of them with 15 to 25 tools. */
async function setUp(...servers: { name: string; tools?: ReturnType<typeof toolsFor> }[]) {
  const models = scriptedModels()
  const host = await testHost({ models, tool_servers: testToolServers() })
  await configure(host, ['anthropic'])
  for (const { name, tools } of servers) {
    const { command, args } = tools ? changeableServer(tools) : everythingCommand
    const body = { name, transport: 'stdio', command, args }
    const { id } = await (await call(createServer, host, { body })).json()
    expect((await call(connect, host, { params: { id } })).status).toBe(200)
  }
  const { id } = await requireDefaultAgent(host)
  await call(changeAgent, host, {
    params: { id },
    body: { mcp_servers: ['*'], execution_mode: 'autonomous' },
  })
  const say = async (message: string, conversation_id?: string) => chat(host, { message, conversation_id })
  return { host, models, say }
}

const forge = {
  name: 'forge',
  tools: toolsFor('the code forge', ['issue', 'branch', 'release', 'pipeline', 'review']),
}
const desk = { name: 'desk', tools: toolsFor('the help desk', ['ticket', 'customer', 'macro', 'article']) }
const shop = { name: 'shop', tools: toolsFor('the shop', ['order', 'product', 'refund']) }

const namesOf = ({ tools }: ModelCall) => tools.map(({ name }) => name)
const tokensOfTools = ({ tools, system }: ModelCall) => estimateInput({ system, tools, messages: [] })

test('with four servers, names are sent, and a tool that was found comes last from the next step on', async () => {
  const { host, models, say } = await setUp({ name: 'everything' }, forge, desk, shop)
  const input = { project: 'team/website', title: 'The door squeaks' }
  models.add(
    toolCall('find_tools', { query: 'create an issue in the code forge' }, 'a'),
    toolCall('mcp__forge__create_issue', input, 'b'),
    text('Created.'),
    text('It is open.'),
  )
  await say('Report that the door squeaks')
  const conversation = await onlyConversation(host)
  await say('Is it open?', conversation.id)

  const [first, second, third, next] = models.calls as [ModelCall, ModelCall, ModelCall, ModelCall]
  const core = namesOf(first)
  expect(core).toContain('find_tools')
  expect(core.filter((name) => name.startsWith('mcp__'))).toEqual([])
  expect(first.system).toContain('- mcp__forge__create_issue: Create a issue in the code forge.')
  expect(first.system).toContain('mcp__everything__echo')
  expect(namesOf(second).slice(0, core.length)).toEqual(core)
  expect(namesOf(second)[core.length]).toBe('mcp__forge__create_issue')
  expect(second.tools.at(-1)?.input_schema).toHaveProperty('properties')
  // What was sent before stays as it is, also in the next turn.
  for (const later of [third, next]) expect(later.tools).toEqual(second.tools)
  expect(next.system).toBe(first.system)
})

test('sends less than a third of the tokens of all schemas', async () => {
  const { host, models, say } = await setUp({ name: 'everything' }, forge, desk, shop)
  models.add(text('Hello.'), text('Hello.'))
  await say('Hello')
  const agent = await requireDefaultAgent(host)
  const whole = estimateInput({
    system: '',
    tools: (await serverTools(host, agent)).map(toSpec),
    messages: [],
  })
  await call(changeAgent, host, { params: { id: agent.id }, body: { mcp_servers: [] } })
  await say('Hello')
  const [listed = 0, without = 0] = models.calls.map(tokensOfTools)

  expect((listed - without) * 3).toBeLessThan(whole)
})

test('a tool that was not looked up runs all the same, and few tools are sent whole', async () => {
  const { host, models, say } = await setUp(shop)
  await call(changeAgent, host, {
    params: { id: (await requireDefaultAgent(host)).id },
    body: { tools: { allow: ['mcp__*', 'time'], deny: [] } },
  })
  models.add(toolCall('mcp__shop__get_order', { project: 'a' }), text('Here it is.'))
  await say('Show the order')

  expect(namesOf(models.calls[0] as ModelCall)).toContain('mcp__shop__list_refund')
  expect(namesOf(models.calls[0] as ModelCall)).not.toContain('find_tools')
  expect(JSON.stringify(models.calls[1]?.messages)).not.toContain('no tool')
})
