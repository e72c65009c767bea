import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import { addAgent, NewAgent } from '../../runtime/agents/agents.ts'
import type { Ports } from '../../runtime/host.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { builtInTools } from '../../runtime/tools/registry.ts'
import type { Tool, ToolScope } from '../../runtime/tools/tool.ts'
import { adminCaller, peer } from '../support/host.ts'

export const tools = await builtInTools({ areas })
export const findTool = (name: string): Tool | undefined => tools.find((tool) => tool.name === name)

export interface Bench {
  host: MemoryHost
  scope: ToolScope
  /** Checks the input as a turn does, and runs the tool. */
  use(name: string, input: unknown, changes?: Partial<ToolScope>): Promise<unknown>
}

/** A conversation on the memory host in which tools can be used. */
export async function toolBench(own: Partial<Ports> = {}, agent: Record<string, unknown> = {}): Promise<Bench> {
  const host = await createMemoryHost(areas, own)
  const request = new Request('http://127.0.0.1:18781/')
  const context = { ...contextOf(request, host, peer), caller: adminCaller }
  await host.sql.write([{ sql: insertConversation }])
  const scope: ToolScope = {
    project_id: null,
    context,
    agent: await addAgent(context, NewAgent.parse({ name: 'Tester', ...agent })),
    conversation_id: 'conv_1',
    message_id: 'msg_1',
    call_id: 'call_1',
    tainted: false,
    signal: new AbortController().signal,
  }
  return { host, scope, use: (name, input, changes) => useTool(name, input, { ...scope, ...changes }) }
}

async function useTool(name: string, input: unknown, scope: ToolScope): Promise<unknown> {
  const tool = findTool(name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool.run(tool.input.parse(input), scope)
}

const insertConversation = `INSERT INTO conversations (id, title, kind, mode, execution_mode, pinned, archived, status,
  message_count, input_tokens, output_tokens, cost_usd, tainted, created_at, updated_at)
  VALUES ('conv_1', '', 'user', 'agent', 'auto', 0, 0, 'running', 0, 0, 0, 0, 0, '2026', '2026')`
