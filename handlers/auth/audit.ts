import { AuditEntry } from '../../runtime/auth/schema.ts'
import { listAudit } from '../../runtime/auth/store.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'

export const list = listing({
  path: '/api/auth/audit',
  summary: 'List the audit log, newest first',
  access: 'admin',
  items: 'entries',
  item: AuditEntry,
  rows: listAudit,
})
