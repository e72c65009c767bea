import { z } from 'zod'
import type { Host } from '../../host.ts'
import { type ServerQuestion, type ServerTool, ToolServerError } from '../../ports/tool-servers.ts'
import type { Agent } from '../../tools/agent.ts'
import { matchesAny } from '../../tools/policy.ts'
import { clipped, cut } from '../../tools/text.ts'
import { type Tool, ToolError, type ToolScope, tool } from '../../tools/tool.ts'
import { agentToolName, compareTools, effectOf } from './compare.ts'
import { addressOf } from './servers.ts'
import { type ApprovedTool, approvedTools, type ServerRecord, toolServers } from './store.ts'

type Needs = Pick<Host, 'sql' | 'secrets' | 'tool_servers'>

/** Characters of a result; it goes into the model's context. */
const maxCharacters = 50_000
const maxProgressLines = 20
/** Seconds that a server may take to start, in addition to the time of the call. */
const startTimeout = 60
/** Seconds for which the tool list of a connected server is cached. */
const toolListMaxAge = 300

/** The server validates the input by its own schema. */
const input = z.record(z.string(), z.unknown())

/**
 * The approved tools of the servers that an agent lists by name, id or `*`. They are offered as approved,
 * whether the server is running or not: the first call starts it.
 */
export async function serverTools(host: Needs, agent: Agent): Promise<Tool[]> {
  if (agent.mcp_servers.length === 0) return []
  const listed = new Set(agent.mcp_servers)
  const servers = (await toolServers.list(host, 'id', { enabled: true })).filter(
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

/** Whether a name or a pattern can match a tool of a server. */
export async function hasServerTools(host: Needs, pattern: string): Promise<boolean> {
  const servers = await toolServers.list(host, 'id')
  const beginnings = servers.map(({ name }) => agentToolName(name, '', host.secrets).replace(/_[0-9a-f]{8}$/, ''))
  return beginnings.some((beginning) => pattern.startsWith(beginning) || matchesAny([pattern], beginning))
}

function usable(host: Needs, server: ServerRecord, approved: readonly ApprovedTool[]): ApprovedTool[] {
  const live = host.tool_servers.tools(server.id)
  const entries = compareTools({ server, approved, live, secrets: host.secrets })
  return approved.filter((_, index) => entries[index]?.state === 'approved')
}

function toTool({ secrets }: Needs, server: ServerRecord, { tool: approved }: ApprovedTool): Tool {
  const { $schema: _, ...input_schema } = approved.input_schema
  const { effect, risk } = effectOf(approved, server)
  return tool({
    name: agentToolName(server.name, approved.name, secrets),
    description: approved.description || approved.title || `${approved.name} of ${server.name}`,
    input,
    input_schema,
    deferrable: true,
    effect: () => effect,
    risk: () => risk,
    untrusted: () => true,
    timeout_seconds: server.timeout_seconds + startTimeout,
    summary: (input) => `${server.name}: ${approved.title ?? approved.name} ${clipped(JSON.stringify(input), 160)}`,
    run: (input, scope) => run(approved, { input, scope, id: server.id }),
  })
}

interface Call {
  id: string
  input: Record<string, unknown>
  scope: ToolScope
}

/** Pictures of one result that a model is shown. */
const maxImages = 8

async function run({ name }: ServerTool, { id, input, scope }: Call): Promise<unknown> {
  const { context, signal } = scope
  const progress: string[] = []
  const server = await usableServer(context, id, { name, signal })
  const onProgress = (line: string) => void progress.push(clipped(line, 200))
  const { timeout_seconds, name: from } = server
  const { ask } = scope
  const call = {
    ...{ name, input, timeout_seconds, signal, onProgress },
    ...(ask && { ask: (question: ServerQuestion, withdrawn: AbortSignal) => ask({ from, ...question }, withdrawn) }),
  }
  const result = await asToolError(server, context.tool_servers.call(id, call))
  for (const [index, { mime_type, data }] of (result.images ?? []).slice(0, maxImages).entries()) {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    await scope.show?.({ name: `${name}-${index + 1}.${mime_type.replace(/^.*\//, '')}`, bytes })
  }
  const steps = progress.length === 0 ? {} : { progress: progress.slice(-maxProgressLines) }
  if (result.is_error) throw new ToolError(failure(result.text, progress))
  if (result.text === '' && result.structured !== null) return { structured: result.structured, ...steps }
  const { text, truncated } = cut(result.text, maxCharacters)
  return { text, ...(truncated ? { truncated } : {}), ...steps }
}

function failure(text: string, progress: readonly string[]): string {
  const reason = cut(text || 'The tool failed without an error message', maxCharacters).text
  return progress.length === 0 ? reason : `${reason}\nLast progress: ${progress.at(-1)}`
}

/** Connects the server and checks that the tool is still as approved. Throws a `ToolError` otherwise. */
async function usableServer(
  context: Needs,
  id: string,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<ServerRecord> {
  const server = await toolServers.find(context, { id })
  if (!server?.enabled) throw new ToolError('This tool server was disabled; tell the user')
  const address = await addressOf(context, server)
  await asToolError(server, context.tool_servers.connect(id, address, { signal, max_age_seconds: toolListMaxAge }))
  const approved = usable(context, server, await approvedTools(context, [id]))
  if (approved.some(({ tool }) => tool.name === name)) return server
  throw new ToolError(
    `${server.name} changed the description of ${name} after it was approved, or no longer offers it. ` +
      'It is suspended until an administrator approves it under Settings → Tool servers; tell the user',
  )
}

const asToolError = <Value>({ name }: ServerRecord, work: Promise<Value>): Promise<Value> =>
  work.catch((thrown: unknown) => {
    throw thrown instanceof ToolServerError ? new ToolError(`${name}: ${thrown.message}`) : thrown
  })
