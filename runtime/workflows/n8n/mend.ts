import { expressionProblems } from '../expressions.ts'
import type { NodeType } from '../node-type.ts'
import { findNodeType } from '../nodes/index.ts'
import type { ImportReport, NewWorkflow, WorkflowNode } from '../schema.ts'
import { failing } from './texts.ts'

/** Replaces expressions that cannot be read by ones that fail, so that one of them does not refuse the whole file. */
export async function mendExpressions(workflow: NewWorkflow, report: ImportReport): Promise<NewWorkflow> {
  const nodes: WorkflowNode[] = []
  for (const node of workflow.nodes) nodes.push(await mendNode(node, report))
  return { ...workflow, nodes }
}

async function mendNode(node: WorkflowNode, report: ImportReport): Promise<WorkflowNode> {
  const type = findNodeType(node.type)
  if (!type || (await expressionProblems(type, node.params)).length === 0) return node
  const add = (path: readonly string[], original: string, problem: string) =>
    report.issues.push({
      node_id: node.id,
      name: node.name,
      field: path.join('.'),
      message: `has an expression that cannot be read, so the node fails when it runs: ${problem}`,
      original,
    })
  return { ...node, params: (await mended(type, node.params, [], add)) as WorkflowNode['params'] }
}

async function mended(
  type: NodeType,
  value: unknown,
  path: readonly string[],
  add: (path: readonly string[], original: string, problem: string) => void,
): Promise<unknown> {
  if (typeof value === 'string') {
    const [problem] = await expressionProblems(type, value, path)
    if (!problem) return value
    add(path, value, problem.message)
    return failing(`Rewrite this expression: ${value.slice(0, 2_000)}`)
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== '__proto__')
  const entries: [string, unknown][] = []
  for (const [name, one] of members) entries.push([name, await mended(type, one, [...path, name], add)])
  return Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries)
}
