import type { Context } from '../context.ts'
import { Fault, invalid } from '../fault.ts'
import type { Host } from '../host.ts'
import { isReference } from '../reference-check.ts'
import { readable } from '../validation.ts'
import { importN8n } from './n8n/import.ts'
import { mendExpressions } from './n8n/mend.ts'
import { type ImportReport, type Workflow, WorkflowFile } from './schema.ts'
import { allIssues } from './validate.ts'
import { definitionOf } from './workflow-store.ts'
import { addWorkflow } from './workflows.ts'

export const exportWorkflow = ({ process }: Pick<Host, 'process'>, workflow: Workflow): WorkflowFile => {
  const { name, description, tags } = workflow
  const definition = definitionOf(workflow)
  const settings = { ...definition.settings, error_workflow_id: null }
  return {
    format: 'hearthd.workflow',
    format_version: 1,
    workflow: process.redaction.value({ name, description, tags, ...definition, settings }),
  }
}

/** Stores a workflow from a file, as a draft, and reports what it still needs. */
export async function importWorkflow(
  context: Context,
  format: 'native' | 'n8n' | undefined,
  file: unknown,
): Promise<{ workflow: Workflow; report: ImportReport }> {
  const { workflow: definition, report } = (format ?? formatOf(file)) === 'n8n' ? await readN8n(file) : readNative(file)
  const stored = await Promise.all(
    report.credentials.map(({ name }) => isReference(context, { kind: 'credential', name })),
  )
  const notes = [...report.issues]
  report.credentials = report.credentials.filter((_, index) => !stored[index])
  const placeholders = new Set<string | null>(report.placeholders.map(({ node_id }) => node_id))
  const missing = (await allIssues(context, definition)).filter(
    ({ severity, node_id }) => severity === 'error' && !placeholders.has(node_id),
  )
  for (const { node_id, path, message } of missing) {
    const name = definition.nodes.find(({ id }) => id === node_id)?.name ?? ''
    const field = path.split('.').slice(2).join('.') || path
    if (report.credentials.some(({ node_ids }) => field === 'params.credential' && node_ids.includes(node_id ?? '')))
      continue
    if (!report.issues.some((issue) => issue.node_id === node_id && field.endsWith(issue.field)))
      report.issues.push({ node_id, name, field, message, original: '' })
  }
  const answer = (workflow: Workflow) => ({ workflow, report })
  return answer(await addWorkflow(context, definition, { answer, notes }))
}

/** Files of n8n have connections by the name of their node, or a node type that begins with the name of its package. */
function isOfN8n({ nodes, connections }: Partial<Record<string, unknown>>): boolean {
  const types = Array.isArray(nodes) ? nodes.map((node: { type?: unknown } | null) => String(node?.type)) : []
  return connections !== undefined || types.some((type) => /^(@[\w-]+\/)?n8n-nodes-/.test(type))
}

/** Which format was meant, however broken the file is. */
function formatOf(file: unknown): 'native' | 'n8n' {
  const members = (file ?? {}) as Partial<Record<string, unknown>>
  if (members.format !== undefined || members.workflow !== undefined) return 'native'
  if (isOfN8n(members)) return 'n8n'
  throw notAWorkflow(
    'neither a workflow file of hearthd, which has the member format, nor of n8n, which has connections',
  )
}

const notAWorkflow = (what: string) => new Fault(422, 'validation_error', `The file is ${what}`)

async function readN8n(file: unknown) {
  const { workflow, report } = importN8n(file)
  return { workflow: await mendExpressions(workflow, report), report }
}

function readNative(file: unknown): { workflow: WorkflowFile['workflow']; report: ImportReport } {
  const parsed = WorkflowFile.safeParse(file, readable)
  if (parsed.success) {
    const { workflow } = parsed.data
    return {
      workflow,
      report: { nodes: workflow.nodes.length, placeholders: [], issues: [], credentials: [] },
    }
  }
  const version = (file as { format_version?: unknown } | null)?.format_version
  if (typeof version === 'number' && version !== 1)
    throw new Fault(422, 'validation_error', `The file has format version ${version}; this release reads version 1`)
  if (isOfN8n((file ?? {}) as object)) throw notAWorkflow('one of n8n: import it with the format n8n')
  throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}
