import { defineArea } from '../area.ts'
import { pruneAudit } from '../auth/store.ts'
import { day, iso } from '../time.ts'
import { followServers } from './mcp/follow.ts'
import { readSecurity } from './security.ts'

export const settingsArea = defineArea({
  name: 'settings',
  tables: ['settings', 'skills', 'builtin_skills', 'tool_servers', 'approved_tools'],
  async start(host) {
    await readSecurity(host)
    followServers(host)
  },
  async prune(host) {
    const { audit_retention_days } = await readSecurity(host)
    return [pruneAudit(iso(host.clock.now() - audit_retention_days * day))]
  },
})
