import { z } from 'zod'
import type { Agent } from '../../agents/schema.ts'
import type { Host } from '../../host.ts'
import { type ServerTool, ToolServerError } from '../../ports/tool-servers.ts'
import { clipped, cut } from '../../tools/text.ts'
import { type Tool, ToolError, type ToolScope, tool } from '../../tools/tool.ts'
import { addressOf } from './address.ts'
import { compareTools, consequences } from './compare.ts'
import { agentToolName } from './names.ts'
import { type ApprovedTool, approvedTools, enabledServers, findServer, type ServerRecord } from './store.ts'

type Needs = Pick<Host, 'sql' | 'secrets' | 'tool_servers'>

/** Characters of an answer; it goes into the model's context. */
const mostCharacters = 50_000
const mostSteps = 20
/** Seconds that a server may take to come up beside the time of the call itself. */
const comingUp = 60
/** Seconds for which what a connected server said of its tools is believed. */
const believed = 300

/** The server checks the input by its own schema, and says what is wrong. */
const input = z.record(z.string(), z.unknown())

/**
 * The approved tools of the servers that an agent lists by name, id or `*`. They are offered as they were approved,
 * whether the server runs now or not: it is started by the first call.
 */
export async function serverTools(host: Needs, agent: Agent): Promise<Tool[]> {
  if (agent.mcp_servers.length === 0) return []
  const listed = new Set(agent.mcp_servers)
  const servers = (await enabledServers(host)).filter(
    ({ id, name }) => listed.has('*') || listed.has(name) || listed.has(id),
  )
  const approved = await approvedTools(
    host,
    servers.map(({ id }) => id),
  )
  return servers.flatMap((server) =>
    usable(
      host,
      server,
      approved.filter(({ server_id }) => server_id === server.id),
    ).map((one) => toTool(host, server, one)),
  )
}

function usable(host: Needs, server: ServerRecord, approved: readonly ApprovedTool[]): ApprovedTool[] {
  const live = host.tool_servers.tools(server.id)
  const entries = compareTools({ server, approved, live, secrets: host.secrets })
  return approved.filter((_, index) => entries[index]?.state === 'approved')
}

function toTool({ secrets }: Needs, server: ServerRecord, { tool: told }: ApprovedTool): Tool {
  const { $schema: _, ...input_schema } = told.input_schema
  const { effect, risk } = consequences(told)
  return tool({
    name: agentToolName(server.name, told.name, secrets),
    description: told.description || told.title || `${told.name} of ${server.name}`,
    input,
    input_schema,
    effect: () => effect,
    risk: () => risk,
    untrusted: () => true,
    timeout_seconds: server.timeout_seconds + comingUp,
    summary: (given) => `${server.name}: ${told.title ?? told.name} ${clipped(JSON.stringify(given), 160)}`,
    run: (given, scope) => run(told, { given, scope, id: server.id }),
  })
}

interface Call {
  id: string
  given: Record<string, unknown>
  scope: ToolScope
}

async function run({ name }: ServerTool, { id, given, scope }: Call): Promise<unknown> {
  const { context, signal } = scope
  const progress: string[] = []
  const server = await usableServer(context, id, { name, signal })
  const onProgress = (line: string) => void progress.push(clipped(line, 200))
  const { timeout_seconds } = server
  const result = await told(
    server,
    context.tool_servers.call(id, { name, input: given, timeout_seconds, signal, onProgress }),
  )
  const steps = progress.length === 0 ? {} : { progress: progress.slice(-mostSteps) }
  if (result.is_error) throw new ToolError(failure(result.text, progress))
  if (result.text === '' && result.structured !== null) return { structured: result.structured, ...steps }
  const { text, truncated } = cut(result.text, mostCharacters)
  return { text, ...(truncated ? { truncated } : {}), ...steps }
}

function failure(text: string, progress: readonly string[]): string {
  const reason = cut(text || 'The tool failed without saying why', mostCharacters).text
  return progress.length === 0 ? reason : `${reason}\nIt had come to: ${progress.at(-1)}`
}

/** The server as it is now, connected, with the tool as it was approved; else a `ToolError`. */
async function usableServer(
  context: Needs,
  id: string,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<ServerRecord> {
  const server = await findServer(context, id)
  if (!server?.enabled) throw new ToolError('This tool server was switched off; tell the person')
  const address = await addressOf(context, server)
  await told(server, context.tool_servers.connect(id, address, { signal, max_age_seconds: believed }))
  const approved = usable(context, server, await approvedTools(context, [id]))
  if (approved.some(({ tool }) => tool.name === name)) return server
  throw new ToolError(
    `${server.name} now describes ${name} in other words than were approved, or offers it no more. ` +
      'It is suspended until a person approves it under Settings → Tool servers; tell them',
  )
}

const told = <Value>({ name }: ServerRecord, work: Promise<Value>): Promise<Value> =>
  work.catch((thrown: unknown) => {
    throw thrown instanceof ToolServerError ? new ToolError(`${name}: ${thrown.message}`) : thrown
  })
