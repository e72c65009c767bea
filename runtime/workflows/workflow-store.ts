import { owned } from '../auth/owner.ts'
import { visibleRows } from '../auth/sharing.ts'
import { type Automation, maxAutomations } from '../automation.ts'
import { changedByAnother } from '../fault.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { containing, type Reader, type Sql, Table } from '../table.ts'
import type { ImportNote } from './import-notes.ts'
import { type Definition, type Workflow, WorkflowSummary, type WorkflowVersion } from './schema.ts'

const fields = ['nodes', 'edges', 'settings', 'variables', 'input_schema', 'pin_data'] as const
const packed = { column: 'definition', fields }
const storage = {
  json: ['tags', 'shared_with'],
  packed,
  hidden: ['conversation_id', 'static_data', 'import_notes'],
} as const

type Hidden = (typeof storage.hidden)[number]

const workflows = new Table<Workflow, Hidden>('workflows', storage)

export const definitionOf = (workflow: Definition): Definition =>
  Object.fromEntries(fields.map((name) => [name, workflow[name]])) as Definition

/** A workflow of any owner, for the daemon's own work. */
export const findWorkflow = (host: Sql, id: string) => workflows.find(host, { id })

/** Null if it was deleted. */
export async function findName({ sql }: Sql, id: string): Promise<string | null> {
  return (await sql.read<{ name: string }>('SELECT name FROM workflows WHERE id = ?', [id]))[0]?.name ?? null
}

/** A workflow that the caller may read and run. */
export const findShownWorkflow = async (context: Reader, id: string) =>
  workflows.find(context, { id }, await visibleRows(context, 'workflows'))

/** A workflow that the caller may change. */
export const findOwnWorkflow = (context: Reader, id: string) => workflows.find(context, { id }, owned(context))

export const sortOrders = {
  updated: 'updated_at DESC, id DESC',
  newest: 'created_at DESC, id DESC',
  name: 'name COLLATE NOCASE, id',
} as const

interface WorkflowFilter extends Page {
  status?: Workflow['status'] | undefined
  search?: string | undefined
  tag?: string | undefined
  sort_by: keyof typeof sortOrders
}

const listed = new Table<Workflow & Pick<WorkflowSummary, 'last_execution'>, Hidden>('workflows', {
  ...storage,
  json: [...storage.json, 'last_execution'],
  select: `*, (SELECT json_object('id', e.id, 'status', e.status, 'started_at', e.started_at) FROM workflow_executions AS e
    WHERE e.workflow_id = workflows.id ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AS last_execution`,
})

export async function listWorkflows(
  context: Reader,
  { status, search, tag, sort_by, ...page }: WorkflowFilter,
): Promise<{ rows: WorkflowSummary[]; total: number }> {
  const tagged = { sql: 'EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)', args: [tag ?? ''] }
  const { rows, total } = await listed.page(
    context,
    page,
    sortOrders[sort_by],
    await visibleRows(context, 'workflows'),
    containing(search, 'name', 'description'),
    { status },
    tag === undefined ? 'true' : tagged,
  )
  return { rows: rows.map(summaryOf), total }
}

function summaryOf({ nodes, ...workflow }: Workflow & Pick<WorkflowSummary, 'last_execution'>) {
  const triggers = nodes.filter(({ type, disabled }) => type.startsWith('trigger.') && !disabled)
  return WorkflowSummary.parse({
    ...workflow,
    nodes: nodes.length,
    triggers: triggers.map(({ type }) => type),
  })
}

/** Workflows as all areas list their automations. */
export async function listAutomations(context: Reader): Promise<Automation[]> {
  const rows = await listed.list(context, `updated_at DESC LIMIT ${maxAutomations}`, owned(context))
  return rows.map(summaryOf).map(({ id, name, description, status, triggers, last_execution }) => ({
    kind: 'workflow',
    id,
    name,
    starts: triggers,
    does: description,
    enabled: status === 'active',
    last_run_at: last_execution?.started_at ?? null,
    last_status: last_execution?.status ?? null,
    next_run_at: null,
    href: `/workflows/${id}`,
  }))
}

/** The caller's workflows that agents may call as tools. */
export const exposedWorkflows = (context: Reader): Promise<Workflow[]> =>
  // Not those that others share: their names and descriptions are not the caller's.
  workflows.list(
    context,
    'id LIMIT 50',
    owned(context),
    `json_extract(definition, '$.settings.expose_as_tool') AND status <> 'disabled'`,
  )

export const insertWorkflow = (workflow: Workflow): Statement => workflows.insert(workflow)

/** The guard refuses it if somebody else has changed the workflow meanwhile. */
export const updateWorkflow = (workflow: Workflow, { id, updated_at, version }: Workflow): Statement =>
  workflows.update(workflow, { id, updated_at, version }, changedByAnother('workflow'))

export const deleteWorkflow = (id: string): Statement => workflows.delete({ id }, 'The workflow was already deleted')

/** The conversation in which the workflow notifies its owner. */
export async function findConversationId({ sql }: Sql, id: string): Promise<string | null> {
  const query = 'SELECT conversation_id FROM workflows WHERE id = ?'
  return (await sql.read<{ conversation_id: string | null }>(query, [id]))[0]?.conversation_id ?? null
}

/** What the import of the workflow could not translate and nobody has mended. */
export async function findNotes({ sql }: Sql, id: string): Promise<ImportNote[]> {
  const query = 'SELECT import_notes FROM workflows WHERE id = ?'
  const [row] = await sql.read<{ import_notes: string | null }>(query, [id])
  return JSON.parse(row?.import_notes ?? '[]') as ImportNote[]
}

/** Of two changes at once, the second is refused if it knows what there was `before`. */
export const setNotes = (id: string, notes: readonly ImportNote[], before?: readonly ImportNote[]): Statement =>
  before
    ? workflows.update(
        { import_notes: JSON.stringify(notes) },
        { id, import_notes: JSON.stringify(before) },
        changedByAnother('workflow'),
      )
    : workflows.update({ import_notes: JSON.stringify(notes) }, { id })

/** Nothing happens if `owner_id` only reads the workflow. */
export const setConversation = (id: string, owner_id: string, conversation_id: string): Statement =>
  workflows.update({ conversation_id }, { id, owner_id })

/** What the code of a workflow keeps from one execution to the next. */
export async function findStaticData({ sql }: Sql, id: string): Promise<Record<string, unknown>> {
  const query = 'SELECT static_data FROM workflows WHERE id = ?'
  const [row] = await sql.read<{ static_data: string | null }>(query, [id])
  return JSON.parse(row?.static_data ?? '{}') as Record<string, unknown>
}

export const setStaticData = (id: string, data: Record<string, unknown>): Statement =>
  workflows.update({ static_data: JSON.stringify(data) }, { id })

const versions = new Table<WorkflowVersion>('workflow_versions', { packed })

export const insertVersion = ({ id: workflow_id, version, updated_at, ...workflow }: Workflow): Statement =>
  versions.insert({ workflow_id, version, created_at: updated_at, ...definitionOf(workflow) })

/** Versions that are kept although no execution has used them. */
const keptVersions = 100

/** Deletes old versions that no execution has used. */
export const pruneVersions = ({ id, version }: Workflow): Statement =>
  versions.delete({
    sql: `workflow_id = ? AND version <= ? AND version NOT IN (
      SELECT version FROM workflow_executions WHERE workflow_id = ?)`,
    args: [id, version - keptVersions, id],
  })

export const findVersion = (host: Sql, workflow_id: string, version: number): Promise<WorkflowVersion | null> =>
  versions.find(host, { workflow_id, version })

export function listVersions(host: Sql, id: string, page: Page) {
  const select = 'SELECT workflow_id, version, created_at FROM workflow_versions WHERE workflow_id = ?'
  const query = { select, args: [id], order: 'version DESC' }
  return selectPage<Omit<WorkflowVersion, keyof Definition>>(host, query, page)
}
