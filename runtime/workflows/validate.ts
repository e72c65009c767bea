import type { z } from 'zod'
import type { Context } from '../context.ts'
import { isExpression } from '../expressions.ts'
import type { FaultIssue } from '../fault.ts'
import { invalid } from '../fault.ts'
import { danglingReferences, type Reference, referencesIn } from '../reference-check.ts'
import { isTimeZone } from '../time.ts'
import { readable } from '../validation.ts'
import { expressionProblems } from './expressions.ts'
import { fieldLabel } from './field-label.ts'
import { cycleWithoutLoop } from './graph.ts'
import { schemaOf } from './input.ts'
import type { NodeType } from './node-type.ts'
import { findNodeType } from './nodes/index.ts'
import { blockedNodes, hasErrorOutput, placeholderIn } from './reach.ts'
import type { Definition, Issue, WorkflowNode } from './schema.ts'
import { findOwnWorkflow } from './workflow-store.ts'

function nodeIssue({ id, name, type }: WorkflowNode, field: string, message: string): Issue {
  const [part, ...path] = field.split('.')
  const label = part === 'params' ? fieldLabel(findNodeType(type)?.params, path) : ''
  return {
    path: `nodes.${id}${field && `.${field}`}`,
    place: label === '' ? name : `${name} → ${label}`,
    message,
    node_id: id,
    severity: 'error',
  }
}

const warning = (...issue: Parameters<typeof nodeIssue>): Issue => ({
  ...nodeIssue(...issue),
  severity: 'warning',
})

const plainIssue = (path: string, message: string): Issue => ({
  path,
  place: fieldLabel(undefined, path.split('.')),
  message,
  node_id: null,
  severity: 'error',
})

/** What keeps a workflow from being saved: a drawing that means nothing, or an expression that cannot be read. */
export async function structureIssues(definition: Definition): Promise<Issue[]> {
  const drawing = drawingIssues(definition)
  if (drawing.length > 0) return drawing
  const issues = await Promise.all(
    definition.nodes.map(async (node) => {
      const type = findNodeType(node.type)
      const problems = type ? await expressionProblems(type, node.params) : []
      return problems.map(({ path, message }) => nodeIssue(node, `params.${path}`, message))
    }),
  )
  return issues.flat()
}

function drawingIssues(definition: Definition): Issue[] {
  const { nodes, edges, settings, input_schema } = definition
  const issues: Issue[] = []
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const [index, node] of nodes.entries()) {
    if (byId.get(node.id) !== node) issues.push(nodeIssue(node, 'id', `has the id of another node (position ${index})`))
    if (!findNodeType(node.type))
      issues.push(nodeIssue(node, 'type', `has an unknown type: ${node.type}; GET /api/workflows/node-types lists all`))
  }
  const ids = new Set<string>()
  for (const edge of edges) {
    if (ids.has(edge.id)) issues.push(plainIssue(`edges.${edge.id}.id`, 'is used by another edge as well'))
    ids.add(edge.id)
    for (const end of ['source', 'target'] as const)
      if (!byId.has(edge[end]))
        issues.push(plainIssue(`edges.${edge.id}.${end}`, `names a node that does not exist: ${edge[end]}`))
    const source = byId.get(edge.source)
    const type = source && findNodeType(source.type)
    if (type && !outputsOf(type, source).includes(edge.source_output))
      issues.push(
        nodeIssue(
          source,
          `outputs.${edge.source_output}`,
          `has no output ${edge.source_output}, but the edge ${edge.id} begins there`,
        ),
      )
    const target = byId.get(edge.target)
    if (target?.type.startsWith('trigger.'))
      issues.push(nodeIssue(target, 'type', 'is a trigger, so no edge can lead to it'))
  }
  const cycle = cycleWithoutLoop(definition)
  const [first] = cycle ?? []
  const node = first === undefined ? undefined : byId.get(first)
  if (cycle && node)
    issues.push(
      nodeIssue(
        node,
        '',
        `is part of a cycle without a loop node: ${[...cycle, first].map((id) => byId.get(id ?? '')?.name ?? id).join(' → ')}`,
      ),
    )
  if (settings.timezone !== null && !isTimeZone(settings.timezone))
    issues.push(plainIssue('settings.timezone', 'must be an IANA time zone such as Europe/Berlin'))
  if (input_schema !== null && schemaOf(input_schema) === null)
    issues.push(plainIssue('input_schema', 'is not a JSON Schema that can be checked'))
  return issues
}

const isGiven = ({ name }: Reference) => name !== '' && !isExpression(name)

/** The references in the parameters of a node. An empty one stands for a default, and an expression is checked when it runs. */
function referencesOf(node: WorkflowNode): Reference[] {
  const type = findNodeType(node.type)
  return type ? referencesIn(type.params, node.params).filter(isGiven) : []
}

/** The parameters that refer to nothing that the owner may refer to; those that a definition before had too are left out. */
export async function referenceIssues(
  context: Context,
  { nodes }: Pick<Definition, 'nodes'>,
  before: Pick<Definition, 'nodes'> = { nodes: [] },
): Promise<Issue[]> {
  const old = async () => before.nodes.flatMap(referencesOf)
  const issues = await Promise.all(
    nodes.map(async (node) => {
      const dangling = await danglingReferences(context, referencesOf(node), old)
      return dangling.map(({ path, message }) => nodeIssue(node, `params.${path}`, message))
    }),
  )
  return issues.flat()
}

/** The outputs at which a node may continue when it has run, without an error. */
function namesOf({ type, params }: WorkflowNode): string[] {
  const { outputs = [{ name: 'main' }], outputs_from } = findNodeType(type) ?? {}
  const cases = outputs_from === undefined ? [] : params[outputs_from]
  return [...outputs.map(({ name }) => name), ...(Array.isArray(cases) ? cases.map((_, index) => `case:${index}`) : [])]
}

/** The names of a node's outputs. */
function outputsOf(type: NodeType, node: WorkflowNode): string[] {
  return [
    ...namesOf(node),
    ...(type.category === 'trigger' || type.outputs?.length === 0 ? [] : ['error']),
    // A disabled or skipped node passes its input on.
    'main',
  ]
}

/** Everything that keeps a workflow from being activated, and warnings. */
export async function allIssues(context: Context, definition: Definition): Promise<Issue[]> {
  return [...(await runIssues(context, definition)), ...(await placeholderIssues(context, definition))]
}

/** A run by hand may stop before a placeholder, or have pin data for it. */
async function placeholderIssues(context: Context, definition: Definition): Promise<Issue[]> {
  const blocked = await blockedNodes(context, definition)
  const disabled = definition.nodes.filter((node) => node.type === 'placeholder' && node.disabled)
  return [
    ...blocked.map(({ node, within }) =>
      within
        ? nodeIssue(
            node,
            'params.workflow_id',
            `runs "${within.workflow}", which fails at the placeholder "${within.placeholder}"`,
          )
        : nodeIssue(
            node,
            'type',
            `is a placeholder for ${node.params.imported_type || 'a node that could not be imported'}: replace it, remove it or disable it`,
          ),
    ),
    ...disabled.map((node) => warning(node, 'type', 'is a disabled placeholder, so its input is passed on unchanged')),
  ]
}

/** Everything that keeps a workflow from running, and warnings. */
export async function runIssues(context: Context, definition: Definition): Promise<Issue[]> {
  const structure = await structureIssues(definition)
  if (structure.length > 0) return structure
  const { nodes, edges, settings } = definition
  const issues = await Promise.all(nodes.filter(({ disabled }) => !disabled).map((node) => nodeIssues(context, node)))
  const runnable = nodes.filter(({ type, disabled }) => type !== 'note' && !disabled)
  const empty = runnable.length === 0 ? [plainIssue('nodes', 'must have at least one node that runs')] : []
  const unused = runnable.filter(
    (node) =>
      !hasErrorOutput(node) &&
      edges.some(({ source, source_output }) => source === node.id && source_output === 'error'),
  )
  const passingOn = ['continue', 'error_item']
  const idle = runnable.filter(
    (node) =>
      !passingOn.includes(node.on_error) &&
      !namesOf(node).includes('main') &&
      edges.some(({ source, source_output }) => source === node.id && source_output === 'main'),
  )
  const linked = new Set(edges.flatMap(({ source, target }) => [source, target]))
  const loose = runnable.length > 1 ? runnable.filter(({ id }) => !linked.has(id)) : []
  return [
    ...issues.flat(),
    ...empty,
    ...(await errorWorkflowIssues(context, settings)),
    ...idle.map((node) =>
      warning(
        node,
        'outputs.main',
        `never uses the output main; let the edge begin at one of ${namesOf(node).join(', ')}`,
      ),
    ),
    ...loose.map((node) => warning(node, '', 'is not connected to anything')),
    ...responseIssues(runnable),
    ...unused.map((node) =>
      warning(
        node,
        'on_error',
        `has ${node.on_error} for errors, so its output error is never used; choose error_output`,
      ),
    ),
  ]
}

const answering = ['respond_node', 'stream']

/** A respond node answers nobody if no webhook waits for it, and a webhook waits in vain without one. */
function responseIssues(nodes: readonly WorkflowNode[]): Issue[] {
  const webhooks = nodes.filter(({ type }) => type === 'trigger.webhook')
  const waiting = webhooks.filter(({ params }) => answering.includes(String(params.response)))
  const responding = nodes.filter(({ type }) => type === 'respond')
  const [first] = webhooks
  if (first && waiting.length === 0)
    return responding.map((node) =>
      warning(node, '', `answers nobody: set Response of "${first.name}" to Respond node`),
    )
  if (responding.length > 0) return []
  return waiting.map((node) => warning(node, 'params.response', 'waits for a respond node, but there is none'))
}

/** The nodes of a sound version that depend on more than their own parameters. */
const dependentNodes = new WeakMap<Definition, readonly WorkflowNode[]>()

/**
 * What keeps a stored version from running. Its definition never changes, so once it was found to be sound, only its
 * references and the like are looked at again.
 */
export async function versionIssues(context: Context, definition: Definition): Promise<Issue[]> {
  const dependent = dependentNodes.get(definition)
  if (dependent) return (await Promise.all(dependent.map((node) => nodeIssues(context, node)))).flat()
  const issues = await runIssues(context, definition)
  const isSound = issues.every(({ severity }) => severity !== 'error')
  if (isSound) dependentNodes.set(definition, definition.nodes.filter(dependsOnOthers))
  return issues
}

const dependsOnOthers = (node: WorkflowNode): boolean =>
  !node.disabled && (findNodeType(node.type)?.problems !== undefined || referencesOf(node).length > 0)

/** A failure is reported nowhere if the error workflow cannot start, but that keeps nothing from running. */
async function errorWorkflowIssues(
  context: Context,
  { error_workflow_id: id }: Definition['settings'],
): Promise<Issue[]> {
  if (id === null) return []
  const handler = await findOwnWorkflow(context, id)
  const blocked = handler && (await placeholderIn(context, id))
  if (handler && handler.status !== 'disabled' && !blocked) return []
  const message = !handler
    ? `is not a workflow of yours: ${id}`
    : blocked
      ? `fails at the placeholder "${blocked.placeholder}" of "${blocked.workflow}"`
      : `is disabled: ${handler.name}`
  return [{ ...plainIssue('settings.error_workflow_id', message), severity: 'warning' }]
}

async function nodeIssues(context: Context, node: WorkflowNode): Promise<Issue[]> {
  const type = findNodeType(node.type)
  if (!type) return []
  if (type.unavailable) return [nodeIssue(node, 'type', `is not available: ${type.unavailable}`)]
  const parsed = type.params.safeParse(node.params, readable)
  if (!parsed.success)
    return parsed.error.issues
      .filter((issue) => !concernsExpression(node.params, issue))
      .map(({ path, message }) => nodeIssue(node, ['params', ...path.map(String)].join('.'), message))
  const dangling = await referenceIssues(context, { nodes: [node] })
  if (dangling.length > 0) return dangling
  const problems = (await type.problems?.(parsed.data, context)) ?? []
  return problems.map(({ field, message }) => nodeIssue(node, field && `params.${field}`, message))
}

/** An expression may evaluate to what the field needs; that is checked when the node runs. */
function concernsExpression(params: unknown, { path, code }: z.core.$ZodIssue): boolean {
  let value = params
  for (const part of path) {
    if (isExpression(value)) return true
    value = typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined
  }
  return isExpression(value) || (code === 'invalid_union' && hasExpression(value))
}

const hasExpression = (value: unknown): boolean =>
  isExpression(value) || (typeof value === 'object' && value !== null && Object.values(value).some(hasExpression))

/** Throws a 422 that names node and field unless there is nothing to report. */
export function refuse(issues: readonly Issue[]): void {
  const errors = issues.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw invalid(errors.map(({ path, place, message }): FaultIssue => ({ path, place, message })))
}
