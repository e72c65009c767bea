import { workingAgent } from '../agents/index.ts'
import { inputText } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { passGates } from '../gate.ts'
import { toolsFor } from '../tools/registry.ts'
import type { Tool } from '../tools/tool.ts'
import { readable } from '../validation.ts'
import { isSameJson } from '../values.ts'
import { fieldLabel } from './field-label.ts'
import { type NodeScope, permanentError, type Wait } from './node-type.ts'
import { isOffered } from './offered-tools.ts'

/** A tool of an agent; the default agent if `agent_id` is empty. Undefined if it has none of that name. */
export async function findAgentTool(context: Context, agent_id: string, name: string): Promise<Tool | undefined> {
  try {
    const agent = await workingAgent(context, agent_id || null)
    return (await toolsFor(agent, context, { unattended: true })).find((tool) => tool.name === name && isOffered(name))
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined
    throw thrown
  }
}

interface ToolCall {
  agent_id: string
  tool: string
  input: Record<string, unknown>
}

/** The input as the tool reads it. */
function checkedInput(tool: Tool, input: unknown, prefix = '') {
  const parsed = tool.input.safeParse(input, readable)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const label = ['Input', fieldLabel(tool.input, issue?.path ?? [])].filter(Boolean).join(' → ')
  throw permanentError('invalid_params', `${prefix}${label} ${issue?.message}`)
}

/** Lets hooks refuse a call, change its input (which is then validated), or ask a person first. */
export async function passToolGate<Params>(
  { context, execution, node }: NodeScope,
  { agent_id, tool, input: raw }: ToolCall,
  withInput: (input: Record<string, unknown>) => Params,
): Promise<{ params: Params } | { wait: Wait }> {
  const { id: execution_id, workflow_id } = execution
  const data = { execution_id, workflow_id, node_id: node.id, tool }
  const verdict = await passGates(context, { type: 'tool.before', data, input: raw })
  const reason = verdict.reason ? `: ${verdict.reason}` : ''
  if (verdict.decision === 'deny') throw permanentError('refused', `A hook refused this call${reason}`)
  const input = verdict.input as Record<string, unknown>
  if (!isSameJson(input, raw)) {
    const agentTool = await findAgentTool(context, agent_id, tool)
    if (agentTool) checkedInput(agentTool, input, 'A hook changed the input, and it is no longer valid: ')
  }
  const params = withInput(input)
  if (verdict.decision !== 'ask') return { params }
  const text = inputText(context.process.redaction.customValue(input))
  const message = `${node.name}: a hook requires approval before the tool ${tool} is called${reason}\n${text}`
  return { wait: { kind: 'approval', message, options: ['Approve', 'Reject'], data: params } }
}

/** Calls a tool as the agent would, for a workflow that a person has drawn. */
export async function callTool(
  { context, execution }: NodeScope,
  { agent_id, tool: name, input }: ToolCall,
): Promise<unknown> {
  const agent = await workingAgent(context, agent_id || null)
  const tool = await findAgentTool(context, agent_id, name)
  if (!tool) throw permanentError('unknown_tool', `The agent ${agent.name} has no tool ${name}`)
  const { signal } = context
  const { id } = execution
  const scope = { conversation_id: id, message_id: id, call_id: id, project_id: null, tainted: true, signal }
  return tool.run(checkedInput(tool, input), { ...scope, context, agent })
}
