import type { Secrets } from '../../ports/secrets.ts'
import type { ServerTool } from '../../ports/tool-servers.ts'
import { matchesAny } from '../../tools/policy.ts'
import type { ToolEntry } from './schema.ts'
import type { ApprovedTool, ServerRecord } from './store.ts'

interface Comparison {
  server: Pick<ServerRecord, 'name' | 'tool_allow' | 'trust'>
  approved: readonly ApprovedTool[]
  /** What the server offers now; null if unknown. */
  live: readonly ServerTool[] | null
  secrets: Pick<Secrets, 'sha256'>
}

/** Every approved or offered tool, and whether agents may use it. */
export function compareTools({ server, approved, live, secrets }: Comparison): ToolEntry[] {
  const offered = new Map(live?.map((tool) => [tool.name, tool]))
  const names = new Set(approved.map(({ tool }) => tool.name))
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
    ...effectOf(tool, server),
    state,
    change: state === 'changed' ? changeOf(tool, offered.get(tool.name)) : null,
  })
  return [
    ...approved.map((one) => entry(one.tool, stateOf(one))),
    ...[...offered.values()].filter(({ name }) => !names.has(name)).map((tool) => entry(tool, 'new')),
  ]
}

const changeOf = (before: ServerTool, after: ServerTool | undefined): ToolEntry['change'] =>
  after ? { before: describe(before), after: describe(after) } : null

const describe = ({ description, input_schema }: ServerTool) => ({ description, input_schema })

/**
 * What a server says about its tools may raise a risk. It lowers one only for a server whose read-only tools an
 * administrator trusts: even a tool that changes nothing sends its input to the server.
 */
export function effectOf(
  { read_only, destructive }: ServerTool,
  { trust }: Pick<ServerRecord, 'trust'>,
): Pick<ToolEntry, 'effect' | 'risk'> {
  if (read_only && !destructive && trust === 'read_only') return { effect: 'read', risk: 'low' }
  return { effect: 'write', risk: destructive ? 'high' : 'medium' }
}

/** Characters of a tool name that all vendors accept. */
const maxNameLength = 64

/** Printable ASCII: names that can be stored and shown on one line. */
export const isPlainName = (name: string): boolean => /^[\x21-\x7e]{1,128}$/.test(name)

/**
 * `mcp__<server>__<tool>`, the name for agents. A name that had to be changed for the vendors ends with a hash, so
 * that names stay unique.
 */
export function agentToolName(server: string, tool: string, secrets: Pick<Secrets, 'sha256'>): string {
  const whole = `mcp__${server}__${tool}`
  const plain = whole.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (plain === whole && plain.length <= maxNameLength) return plain
  return `${plain.slice(0, maxNameLength - 9)}_${secrets.sha256(whole).slice(0, 8)}`
}

/** A hash of the whole description of a tool. */
export const hashTool = (tool: ServerTool, secrets: Pick<Secrets, 'sha256'>): string =>
  secrets.sha256(JSON.stringify(sorted(tool)))

/** The order of members does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
  return Object.fromEntries(members.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
