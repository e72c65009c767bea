import { z } from 'zod'
import type { Context } from '../context.ts'
import { whileSubscribed } from '../events/subscribe.ts'
import { Fault } from '../fault.ts'
import { second } from '../time.ts'
import { clipped } from '../tools/text.ts'
import { type Tool, ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { settles } from './events.ts'
import { publicExecution } from './execution-store.ts'
import { execute, requireExecution, requireRow } from './executions.ts'
import { schemaOf } from './input.ts'
import { findNodeType } from './nodes/index.ts'
import { Execute, type Workflow, type WorkflowNode } from './schema.ts'
import { exposedWorkflows, listWorkflows } from './workflow-store.ts'

/** Seconds for which a tool waits for an execution. */
const patience = 50

const Input = z.object({
  action: z.enum(['list', 'run', 'status']),
  workflow: z.string().max(200).optional().describe('For run: the id or name of a workflow of list'),
  input: z.record(z.string(), z.unknown()).optional().describe('For run: its input'),
  execution_id: z.string().max(64).optional().describe('For status'),
})
type Input = z.output<typeof Input>

/** Workflows of the owner. It can run them and not change them. */
export const workflow = tool({
  name: 'workflow',
  description:
    'Workflows that the person has drawn. list shows them, run starts one and waits up to 50 seconds for its output, ' +
    'status shows an execution that took longer or waits for the person.',
  input: Input,
  effect: ({ action }) => (action === 'run' ? 'write' : 'read'),
  // What it will do is unknown; `exposedTools` are for workflows that may run unasked.
  risk: ({ action }) => (action === 'run' ? 'high' : 'low'),
  // Outputs may quote pages and messages.
  untrusted: ({ action }) => action !== 'list',
  summary: ({ action, workflow: name = '' }) =>
    ({
      list: 'List the workflows',
      run: `Run the workflow ${clipped(name, 100)}`,
      status: 'Read the state of a workflow',
    })[action],
  run: (input, scope) => refusals(() => actions[input.action](input, scope)),
})

async function refusals<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (thrown) {
    throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
  }
}

const actions: Record<Input['action'], (input: Input, scope: ToolScope) => Promise<unknown>> = {
  async list(_, { context }) {
    const { rows } = await listWorkflows(context, { sort_by: 'updated', limit: 100, offset: 0 })
    return {
      workflows: rows
        .filter(({ status }) => status !== 'disabled')
        .map(({ id, name, description, status }) => ({ id, name, description, status })),
    }
  },

  async run({ workflow: nameOrId, input = {} }, scope) {
    if (nameOrId === undefined) throw new ToolError('run needs `workflow`')
    const { rows } = await listWorkflows(scope.context, { sort_by: 'updated', limit: 200, offset: 0 })
    const workflow = rows.find(({ id, name }) => id === nameOrId || name.toLowerCase() === nameOrId.toLowerCase())
    if (!workflow) throw new ToolError(`There is no workflow ${nameOrId}; the action list shows them`)
    return runAndWait({ ...scope.context, signal: scope.signal }, workflow.id, input)
  },

  async status({ execution_id }, { context }) {
    if (execution_id === undefined) throw new ToolError('status needs `execution_id`, which run returned')
    return outcome(context, execution_id)
  },
}

/** Runs a workflow; the output if it ends soon, else what it waits for. */
export async function runAndWait(context: Context, id: string, input: unknown) {
  const { execution_id } = await execute(context, id, Execute.parse({ input }), { typed: false })
  const hasSettled = (type: string, data: Record<string, unknown>) =>
    settles(type) && data.execution_id === execution_id
  return whileSubscribed(context, hasSettled, async (next) => {
    if ((await requireRow(context, execution_id)).completed_at === null) await next(patience * second, context.signal)
    return outcome(context, execution_id)
  })
}

async function outcome(context: Context, id: string) {
  const { status, output, error, waiting_for } = publicExecution(await requireExecution(context, id))
  return {
    execution_id: id,
    status,
    output,
    error,
    waiting_for: waiting_for.map(({ kind, message }) => ({ kind, message })),
  }
}

/** The workflows that the caller has exposed as tools, each with its own input. */
export async function exposedTools(context: Pick<Context, 'sql' | 'caller'>): Promise<Tool[]> {
  const used = new Set<string>()
  return (await exposedWorkflows(context)).map((one) => {
    const name = nameOf(one)
    const unique = used.has(name) ? `${name}_${one.id.slice(-4)}` : name
    used.add(unique)
    return toolOf(one, unique)
  })
}

const nameOf = ({ name }: Workflow): string =>
  `workflow_${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}`

/** What a person would be asked about if the agent did it itself. A sub-workflow may contain anything. */
const isRisky = ({ type, disabled }: WorkflowNode): boolean =>
  !disabled && (type === 'sub_workflow' || findNodeType(type)?.risk === 'high')

const toolOf = ({ id, name, description, input_schema, nodes }: Workflow, tool_name: string): Tool =>
  tool({
    name: tool_name,
    description: `Runs the workflow "${name}" and returns its output. ${description}`.trim(),
    deferrable: true,
    input: ((input_schema && schemaOf(input_schema)) ?? z.record(z.string(), z.unknown())) as z.ZodType,
    ...(input_schema ? { input_schema } : {}),
    effect: () => 'write',
    risk: () => (nodes.some(isRisky) ? 'high' : 'medium'),
    untrusted: () => true,
    summary: () => `Run the workflow ${clipped(name, 100)}`,
    run: (input, scope) => refusals(() => runAndWait({ ...scope.context, signal: scope.signal }, id, input)),
  })
