import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { AuditEntry } from './schema.ts'
import { insertAudit } from './store.ts'

export interface AuditNote {
  /** The action, named like its event: `key.created`, `user.logged_in`, `settings.updated`. */
  action: string
  /** The object of the action, usually an id; never a secret. */
  target: string
  /** `denied`: refused by a rule. `failed`: attempted without success. Default `ok`. */
  outcome?: AuditEntry['outcome']
}

/** The statement that records an action in the audit log, for the same commit as the change. */
export function auditStatement(context: Context, { action, target, outcome = 'ok' }: AuditNote): Statement {
  const now = context.clock.now()
  return insertAudit({
    id: newId('audit', now),
    at: iso(now),
    actor: context.process.redaction.text(context.caller.name),
    action,
    target: context.process.redaction.text(target),
    ip: context.caller.address,
    request_id: context.request_id,
    outcome,
  })
}
