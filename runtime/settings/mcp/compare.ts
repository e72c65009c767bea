import type { Secrets } from '../../ports/secrets.ts'
import type { ServerTool } from '../../ports/tool-servers.ts'
import { matchesAny } from '../../tools/policy.ts'
import { agentToolName, hashTool } from './names.ts'
import type { ToolEntry } from './schema.ts'
import type { ApprovedTool, ServerRecord } from './store.ts'

interface Comparison {
  server: Pick<ServerRecord, 'name' | 'tool_allow'>
  approved: readonly ApprovedTool[]
  /** What the server offers now; null while nobody knows. */
  live: readonly ServerTool[] | null
  secrets: Pick<Secrets, 'sha256'>
}

/** Every tool that was approved or is offered, and whether agents may use it. */
export function compareTools({ server, approved, live, secrets }: Comparison): ToolEntry[] {
  const offered = new Map(live?.map((tool) => [tool.name, tool]))
  const known = new Set(approved.map(({ tool }) => tool.name))
  const stateOf = ({ tool, hash }: ApprovedTool): ToolEntry['state'] => {
    const now = offered.get(tool.name)
    if (live && !now) return 'gone'
    if (now && hashTool(now, secrets) !== hash) return 'changed'
    return matchesAny(server.tool_allow, tool.name) ? 'approved' : 'not_allowed'
  }
  const entry = (tool: ServerTool, state: ToolEntry['state']): ToolEntry => ({
    name: tool.name,
    tool: agentToolName(server.name, tool.name, secrets),
    title: tool.title,
    description: tool.description,
    ...consequences(tool),
    state,
    change: state === 'changed' ? changeOf(tool, offered.get(tool.name)) : null,
  })
  return [
    ...approved.map((one) => entry(one.tool, stateOf(one))),
    ...[...offered.values()].filter(({ name }) => !known.has(name)).map((tool) => entry(tool, 'new')),
  ]
}

const changeOf = (before: ServerTool, after: ServerTool | undefined): ToolEntry['change'] =>
  after ? { before: wordsOf(before), after: wordsOf(after) } : null

const wordsOf = ({ description, input_schema }: ServerTool) => ({ description, input_schema })

/** What a server says of its own tools is believed only since an administrator approved it. */
export function consequences({ read_only, destructive }: ServerTool): Pick<ToolEntry, 'effect' | 'risk'> {
  if (read_only) return { effect: 'read', risk: 'low' }
  return { effect: 'write', risk: destructive ? 'high' : 'medium' }
}
