import { AuditEntry } from '../../runtime/auth/schema.ts'
import { listAudit } from '../../runtime/auth/store.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/auth/audit',
  summary: 'List the audit log, newest first',
  access: 'admin',
  query: pageQuery(),
  returns: listOf('entries', AuditEntry),
  async run({ query }, context) {
    return { ...(await listAudit(context, query)), ...query }
  },
})
