import { everyUser, owned, visibleOwner } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import { containing } from '../table.ts'
import type { Definition, Workflow, WorkflowSummary, WorkflowVersion } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

const fields = ['nodes', 'edges', 'settings', 'variables', 'input_schema', 'pin_data'] as const

interface Row extends Omit<Workflow, keyof Definition | 'tags' | 'shared_with'> {
  conversation_id: string | null
  tags: string
  shared_with: string
  definition: string
}

const toWorkflow = ({ definition, tags, shared_with, conversation_id: _, ...row }: Row): Workflow => ({
  ...row,
  ...(JSON.parse(definition) as Definition),
  tags: JSON.parse(tags) as string[],
  shared_with: JSON.parse(shared_with) as string[],
})

export const definitionOf = (workflow: Definition): Definition =>
  Object.fromEntries(fields.map((name) => [name, workflow[name]])) as Definition

/** A workflow whoever owns it, for the daemon's own work. */
export async function findWorkflow({ sql }: Sql, id: string): Promise<Workflow | null> {
  const [row] = await sql.read<Row>('SELECT * FROM workflows WHERE id = ?', [id])
  return row ? toWorkflow(row) : null
}

/** The workflows that the caller may read: their own, and those shared with them. */
function shown(context: Reader): Condition {
  const own = owned(context)
  const owner = visibleOwner(context)
  if (owner === undefined) return own
  const shared = `id IN (SELECT id FROM workflows WHERE shared_with <> '[]'
    AND EXISTS (SELECT 1 FROM json_each(shared_with) WHERE value IN (?, '${everyUser}')))`
  return { sql: `(${own.sql} OR ${shared})`, args: [...own.args, owner] }
}

/** A workflow that the caller may read and run. */
export const findShownWorkflow = (context: Reader, id: string): Promise<Workflow | null> =>
  findWhere(context, id, shown(context))

/** A workflow that the caller may change. */
export const findOwnWorkflow = (context: Reader, id: string): Promise<Workflow | null> =>
  findWhere(context, id, owned(context))

async function findWhere({ sql }: Sql, id: string, where: Condition): Promise<Workflow | null> {
  const [row] = await sql.read<Row>(`SELECT * FROM workflows WHERE id = ? AND ${where.sql}`, [
    id,
    ...where.args,
  ])
  return row ? toWorkflow(row) : null
}

export const sortOrders = {
  updated: 'updated_at DESC, id DESC',
  newest: 'created_at DESC, id DESC',
  name: 'name COLLATE NOCASE, id',
} as const

export interface WorkflowFilter {
  status?: Workflow['status'] | undefined
  search?: string | undefined
  tag?: string | undefined
  sort_by: keyof typeof sortOrders
  limit: number
  offset: number
}

export async function listWorkflows(
  context: Reader,
  filter: WorkflowFilter,
): Promise<{ workflows: WorkflowSummary[]; total: number }> {
  const where = conditions(context, filter)
  const select = `SELECT *, (SELECT json_object('id', e.id, 'status', e.status, 'started_at', e.started_at)
      FROM workflow_executions AS e WHERE e.workflow_id = workflows.id ORDER BY e.created_at DESC, e.id DESC LIMIT 1) AS last_execution
    FROM workflows WHERE ${where.sql}`
  const query = { select, args: where.args, order: sortOrders[filter.sort_by] }
  const { rows, total } = await selectPage<Row & { last_execution: string | null }>(context, query, filter)
  return { workflows: rows.map(summaryOf), total }
}

function conditions(context: Reader, { status, search, tag }: WorkflowFilter): Condition {
  const parts: Condition[] = [shown(context), containing(search, 'name', 'description')]
  if (status) parts.push({ sql: 'status = ?', args: [status] })
  if (tag) parts.push({ sql: 'EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)', args: [tag] })
  return {
    sql: parts.map(({ sql }) => sql).join(' AND '),
    args: parts.flatMap(({ args }) => args as Value[]),
  }
}

function summaryOf({ last_execution, ...row }: Row & { last_execution: string | null }): WorkflowSummary {
  const { nodes, ...workflow } = toWorkflow(row)
  const { edges: _, settings: __, variables: ___, input_schema: ____, pin_data: _____, ...summary } = workflow
  return {
    ...summary,
    nodes: nodes.length,
    triggers: nodes
      .filter(({ type, disabled }) => type.startsWith('trigger.') && !disabled)
      .map(({ type }) => type),
    last_execution:
      last_execution === null ? null : (JSON.parse(last_execution) as WorkflowSummary['last_execution']),
  }
}

/** The caller's workflows that agents may call as tools. */
export async function exposedWorkflows(context: Reader): Promise<Workflow[]> {
  // Not those that others share: their names and descriptions are not the caller's.
  const where = owned(context)
  const rows = await context.sql.read<Row>(
    `SELECT * FROM workflows WHERE ${where.sql} AND json_extract(definition, '$.settings.expose_as_tool') AND status <> 'disabled'
      ORDER BY id LIMIT 50`,
    where.args,
  )
  return rows.map(toWorkflow)
}

export const insertWorkflow = (workflow: Workflow): Statement => ({
  sql: `INSERT INTO workflows (id, owner_id, name, description, status, version, tags, definition, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [
    workflow.id,
    workflow.owner_id,
    workflow.name,
    workflow.description,
    workflow.status,
    workflow.version,
    JSON.stringify(workflow.tags),
    JSON.stringify(definitionOf(workflow)),
    workflow.created_at,
    workflow.updated_at,
  ],
})

/** The guard refuses it if somebody else has changed the workflow meanwhile. */
export const updateWorkflow = (workflow: Workflow, before: Workflow): Statement => ({
  sql: `UPDATE workflows SET name = ?, description = ?, status = ?, version = ?, tags = ?, shared_with = ?, definition = ?, updated_at = ?
    WHERE id = ? AND updated_at = ? AND version = ?`,
  args: [
    workflow.name,
    workflow.description,
    workflow.status,
    workflow.version,
    JSON.stringify(workflow.tags),
    JSON.stringify(workflow.shared_with),
    JSON.stringify(definitionOf(workflow)),
    workflow.updated_at,
    workflow.id,
    before.updated_at,
    before.version,
  ],
  guard: 'The workflow was changed by another request; try again',
})

export const deleteWorkflow = (id: string): Statement => ({
  sql: 'DELETE FROM workflows WHERE id = ?',
  args: [id],
  guard: 'The workflow was already deleted',
})

/** The conversation in which the workflow notifies its owner. */
export async function findConversationId({ sql }: Sql, id: string): Promise<string | null> {
  const [row] = await sql.read<Row>('SELECT conversation_id FROM workflows WHERE id = ?', [id])
  return row?.conversation_id ?? null
}

/** Nothing happens if `owner` only reads the workflow. */
export const setConversation = (id: string, owner: string, conversation: string): Statement => ({
  sql: 'UPDATE workflows SET conversation_id = ? WHERE id = ? AND owner_id = ?',
  args: [conversation, id, owner],
})

export const insertVersion = (workflow: Workflow): Statement => ({
  sql: 'INSERT INTO workflow_versions (workflow_id, version, definition, created_at) VALUES (?, ?, ?, ?)',
  args: [workflow.id, workflow.version, JSON.stringify(definitionOf(workflow)), workflow.updated_at],
})

/** Versions that are kept although no execution has used them. */
const keptVersions = 100

/** Deletes old versions that no execution has used. */
export const pruneVersions = ({ id, version }: Workflow): Statement => ({
  sql: `DELETE FROM workflow_versions WHERE workflow_id = ? AND version <= ? AND version NOT IN (
    SELECT version FROM workflow_executions WHERE workflow_id = ?)`,
  args: [id, version - keptVersions, id],
})

type VersionRow = Pick<WorkflowVersion, 'workflow_id' | 'version' | 'created_at'> & { definition: string }

const toVersion = ({ definition, ...row }: VersionRow): WorkflowVersion => ({
  ...row,
  ...(JSON.parse(definition) as Definition),
})

export async function findVersion(
  { sql }: Sql,
  id: string,
  version: number,
): Promise<WorkflowVersion | null> {
  const [row] = await sql.read<VersionRow>(
    'SELECT * FROM workflow_versions WHERE workflow_id = ? AND version = ?',
    [id, version],
  )
  return row ? toVersion(row) : null
}

export function listVersions(host: Sql, id: string, page: Page) {
  const select = 'SELECT workflow_id, version, created_at FROM workflow_versions WHERE workflow_id = ?'
  const query = { select, args: [id], order: 'version DESC' }
  return selectPage<Omit<WorkflowVersion, keyof Definition>>(host, query, page)
}
