import type { Context } from '../context.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredWorkflow } from './workflow-store.ts'

/** The statements that make the triggers of a workflow what its definition and status say. */
export async function triggerStatements(_context: Context, _workflow: StoredWorkflow): Promise<Statement[]> {
  return []
}
