import * as executions from '../../handlers/workflows/executions.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import type { Host } from '../../runtime/host.ts'
import type { ExecutionDetails, NewWorkflow, NodeRun, Workflow } from '../../runtime/workflows/schema.ts'
import { call } from '../support/call.ts'
import { workOff } from '../support/work.ts'

interface Drawn {
  type: string
  name?: string
  [field: string]: unknown
}

/** `a → b` or `a:true → b`; several targets are separated by commas. */
type Arrow = string

/** Nodes by id and arrows between them, as a workflow. */
export function drawn(nodes: Record<string, Drawn>, arrows: readonly Arrow[], rest: object = {}) {
  const edges = arrows.flatMap((arrow) => {
    const [from = '', to = ''] = arrow.split('→').map((side) => side.trim())
    const [source = '', ...output] = from.split(':')
    return to.split(',').map((target) => ({
      id: `${from} ${target.trim()}`,
      source,
      source_output: output.join(':') || 'main',
      target: target.trim(),
    }))
  })
  return {
    name: 'Test',
    nodes: Object.entries(nodes).map(([id, node]) => ({ id, name: id, ...node })),
    edges,
    ...rest,
  } as unknown as NewWorkflow
}

export async function created(host: Host, body: unknown): Promise<Workflow> {
  const response = await call(workflows.create, host, { body })
  const answer = await response.json()
  if (response.status !== 201) throw new Error(JSON.stringify(answer))
  return answer
}

export async function started(host: Host, id: string, body: object = {}): Promise<string> {
  const response = await call(executions.execute, host, { params: { id }, body })
  const answer = await response.json()
  if (response.status !== 202) throw new Error(JSON.stringify(answer))
  return answer.execution_id
}

export async function execution(host: Host, id: string): Promise<ExecutionDetails> {
  return (await call(executions.show, host, { params: { id } })).json()
}

/** A run of a node with its input and output. */
export async function nodeRun(host: Host, { id }: { id: string }, seq: number): Promise<NodeRun> {
  const params = { id, seq: String(seq) }
  return (await call(executions.nodeRun, host, { params })).json()
}

/** The executions of a workflow with their inputs and outputs, newest first. */
export async function executionsOf(host: Host, id: string): Promise<ExecutionDetails[]> {
  const listed = await (await call(executions.executions, host, { params: { id } })).json()
  return Promise.all(listed.executions.map((one: { id: string }) => execution(host, one.id)))
}

/** Creates a workflow, runs it and returns its execution. */
export async function ran(host: Host, body: unknown, start: object = {}): Promise<ExecutionDetails> {
  const { id } = await created(host, body)
  const run = await started(host, id, start)
  await workOff(host)
  return execution(host, run)
}
