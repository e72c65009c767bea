import type { ExecutionStatus, Issue, NodeRun, TriggerKind, Workflow } from '../../../runtime/workflows/schema.ts'
import { plainOf, type Schema, titleOf } from '../../parts/schema/schema.ts'
import type { Status } from '../../parts/status.tsx'
import { capitalized } from '../../parts/text.ts'
import type { Flow } from './editor-state.ts'
import type { Kinds } from './kinds.ts'

export const workflowLabels: Record<Workflow['status'], Status> = {
  draft: { label: 'Draft', color: 'gray' },
  active: { label: 'Active', color: 'teal' },
  disabled: { label: 'Disabled', color: 'gray' },
}

export const runLabels: Record<ExecutionStatus, Status> = {
  queued: { label: 'Queued', color: 'gray' },
  running: { label: 'Running', color: 'ember' },
  waiting: { label: 'Waiting', color: 'yellow' },
  succeeded: { label: 'Succeeded', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  timed_out: { label: 'Timed out', color: 'red' },
}

export const statusOf = (run: Pick<NodeRun, 'status'> | undefined): Status | undefined => run && runLabels[run.status]

export const triggerLabels: Record<TriggerKind, string> = {
  manual: 'Manual',
  schedule: 'Schedule',
  webhook: 'Webhook',
  form: 'Form',
  event: 'Event',
  channel: 'Channel',
  sub_workflow: 'Another workflow',
  error: 'Error of another workflow',
  tool: 'Tool call',
}

/** The label of a status, also of one that this page does not know. */
export const labelOfRun = (status: string): string =>
  (runLabels as Record<string, Status | undefined>)[status]?.label ?? status

/** "HTTP request → URL is required": a problem with its node and its field, named as in the form. */
export function problemText({ path, message }: Pick<Issue, 'path' | 'message'>, nodes: Flow['nodes'], kinds: Kinds) {
  const text = message.replace(/^of "[^"]*" /, '')
  const [area, id, part, ...fields] = path.split('.')
  const node = area === 'nodes' ? nodes.find((one) => one.id === id) : undefined
  if (!node) return issueText(message)
  const field = part === 'params' ? fieldTitle(fields, (kinds.get(node.type)?.params ?? {}) as Schema) : ''
  return `${node.name} → ${field ? `${field} ${text}` : capitalized(text)}`
}

/** "Cases 2 → Expression" */
function fieldTitle([name, ...rest]: readonly string[], schema: Schema): string {
  if (name === undefined) return ''
  const { schema: plain } = plainOf(schema.properties?.[name] ?? schema.items ?? {})
  const title = schema.properties?.[name] ? titleOf(name, plain) : /^\d+$/.test(name) ? String(Number(name) + 1) : name
  const inner = fieldTitle(rest, plain)
  return (inner && `${title}${/^\d+$/.test(rest[0] ?? '') ? ' ' : ' → '}${inner}`) || title
}

/** The message of an issue without the name of its node, next to which it is shown. */
export const issueText = (message: string): string =>
  capitalized(message.replace(/^of "[^"]*" /, '').replace(/^is (?=required|not )/, ''))
