import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import { unavailable } from '../../fault.ts'
import { newId } from '../../id.ts'
import type { Statement } from '../../ports/sql.ts'
import { type ServerTool, ToolServerError } from '../../ports/tool-servers.ts'
import { iso } from '../../time.ts'
import { hashTool, isPlainName } from './compare.ts'
import type { Approved, ServerTest, ToolServer } from './schema.ts'
import { addressOf, requireServer, showServer } from './servers.ts'
import {
  type ApprovedTool,
  approvedTools,
  deleteApprovals,
  enableServer,
  guardAddress,
  insertApproval,
  type ServerRecord,
} from './store.ts'

/** Opens a separate connection and closes it again. Nothing is stored. */
export async function testServer(context: Context, id: string): Promise<ServerTest> {
  const server = await requireServer(context, id)
  const started = context.clock.now()
  const end = (result: Omit<ServerTest, 'latency_ms'>) => ({
    ...result,
    latency_ms: Math.round(context.clock.now() - started),
  })
  try {
    const tools = await connectOnce(context, server)
    return end({ ok: true, tools: tools.map(({ name }) => name), error: null })
  } catch (thrown) {
    if (!(thrown instanceof ToolServerError)) throw thrown
    return end({ ok: false, tools: [], error: thrown.message })
  }
}

/** The tools, over a separate connection. */
async function connectOnce(context: Context, server: ServerRecord): Promise<readonly ServerTool[]> {
  const id = newId('mcp', context.clock.now())
  try {
    return await context.tool_servers.connect(id, await addressOf(context, server), { signal: context.signal })
  } finally {
    await context.tool_servers.disconnect(id)
  }
}

/** Lists the tools and approves them as they are; a disabled server stays disabled. */
export async function discoverTools(context: Context, id: string): Promise<Approved> {
  const server = await requireServer(context, id)
  const tools = await reach(server.enabled ? connect(context, server) : connectOnce(context, server))
  return approve(context, server, { tools, statements: [], what: 'tool_server.discovered' })
}

/** Enables a server, connects it, and approves its tools as they are. */
export async function connectServer(context: Context, id: string): Promise<Approved> {
  const server = await requireServer(context, id)
  const tools = await reach(connect(context, server))
  const enabled = { ...server, enabled: true }
  try {
    return await approve(context, enabled, {
      tools,
      statements: [enableServer(id, true)],
      what: 'tool_server.connected',
    })
  } catch (thrown) {
    if (!server.enabled) await context.tool_servers.disconnect(id)
    throw thrown
  }
}

/** Disables a server and ends its process. Its approvals are kept. */
export async function disconnectServer(context: Context, id: string): Promise<ToolServer> {
  const server = await requireServer(context, id)
  await context.commit(
    [enableServer(id, false), auditStatement(context, { action: 'tool_server.disconnected', target: id })],
    [{ type: 'tool_server.disconnected', data: { tool_server_id: id } }],
  )
  await context.tool_servers.disconnect(id)
  return showServer(context, { ...server, enabled: false })
}

const connect = async (context: Context, server: ServerRecord) =>
  context.tool_servers.connect(server.id, await addressOf(context, server), { signal: context.signal })

/** A server that cannot be reached is a 503. */
const reach = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((thrown: unknown) => {
    if (thrown instanceof ToolServerError) throw unavailable(`The tool server cannot be used: ${thrown.message}`)
    throw thrown
  })

interface Approval {
  tools: readonly ServerTool[]
  statements: Statement[]
  what: 'tool_server.discovered' | 'tool_server.connected'
}

async function approve(
  context: Context,
  server: ServerRecord,
  { tools, statements, what }: Approval,
): Promise<Approved> {
  const { id } = server
  const before = await approvedTools(context, [id])
  const now = tools
    .filter(({ name }) => isPlainName(name))
    .map((tool) => ({ server_id: id, hash: hashTool(tool, context.secrets), tool }))
  const by = { at: iso(context.clock.now()), by: context.caller.name }
  await context.commit(
    [
      guardAddress(server),
      ...statements,
      deleteApprovals(id),
      ...now.map((approved) => insertApproval(approved, by)),
      auditStatement(context, { action: what, target: id }),
    ],
    [event(what, { tool_server_id: id, tools: now.length })],
  )
  return { ...(await showServer(context, server)), approved: differences(before, now) }
}

/** What an approval changed, so that a person sees what they approved. */
function differences(before: readonly ApprovedTool[], now: readonly ApprovedTool[]): Approved['approved'] {
  const old = new Map(before.map(({ tool, hash }) => [tool.name, hash]))
  const names = new Set(now.map(({ tool }) => tool.name))
  return {
    added: [...names].filter((name) => !old.has(name)),
    changed: now
      .filter(({ tool, hash }) => old.has(tool.name) && old.get(tool.name) !== hash)
      .map(({ tool }) => tool.name),
    removed: [...old.keys()].filter((name) => !names.has(name)),
  }
}
