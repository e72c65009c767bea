import { defineArea } from '../area.ts'
import { readSecurity } from '../auth/security.ts'
import { pruneAudit } from '../auth/store.ts'
import { commit } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { pruneChanges } from '../sections/history-store.ts'
import { sectionPurpose } from '../sections/purposes.ts'
import { day, iso } from '../time.ts'
import { dailyCleanup } from './cleanup-queue.ts'
import { toolServers } from './mcp/store.ts'
import { serverPurpose } from './purposes.ts'

export const settingsArea = defineArea({
  name: 'settings',
  references: {
    skill: async (context, name) =>
      name === '*' ||
      (await (await import('./skills/skills.ts')).listSkills(context)).some(({ id, name: own }) =>
        [id, own].includes(name),
      ),
    tool_server: async (context, name) =>
      name === '*' || (await toolServers.list(context, 'id')).some(({ id, name: own }) => [id, own].includes(name)),
    // Tools of a server that is not connected now.
    tool: async (context, pattern) => (await import('./mcp/tools.ts')).hasServerTools(context, pattern),
  },
  events: async () => (await import('./events.ts')).settingsEvents,
  shared_events: [
    'settings.updated',
    'backup.created',
    'backup.failed',
    'backup.restored',
    'storage.budget_reached',
    'storage.cleaned',
    'skill.created',
    'skill.updated',
    'skill.deleted',
    'tool_server.created',
    'tool_server.updated',
    'tool_server.deleted',
    'tool_server.discovered',
    'tool_server.connected',
    'tool_server.changed',
    'tool_server.disconnected',
  ],
  admin_events: ['backup.job.updated'],
  tables: [
    'settings',
    'user_settings',
    'settings_changes',
    'skills',
    'builtin_skills',
    'tool_servers',
    'approved_tools',
  ],
  owned_tables: ['user_settings', 'settings_changes'],
  sealed: [
    { table: 'settings', column: 'value', key: 'section', purpose: sectionPurpose },
    { table: 'tool_servers', column: 'sealed_env', purpose: (id) => serverPurpose(id, 'env') },
    { table: 'tool_servers', column: 'sealed_headers', purpose: (id) => serverPurpose(id, 'headers') },
  ],
  tools: async () => [(await import('./time-tool.ts')).time],
  async agent_tools(host, agent) {
    const [skills, servers] = await Promise.all([import('./skills/tool.ts'), import('./mcp/tools.ts')])
    return (await Promise.all([skills.skillTool(host, agent), servers.serverTools(host, agent)])).flat()
  },
  work: {
    'settings.cleanup': async () => (await import('./cleanup.ts')).cleanup,
    'settings.backup': async () => (await import('./backup/jobs.ts')).backupJob,
    'settings.scheduled_backup': async () => (await import('./backup/jobs.ts')).scheduledBackup,
  },
  sources: [dailyCleanup],
  async start(host) {
    await readSecurity(host)
    if (host.backups.unsupported === null) await (await import('./backup/jobs.ts')).startBackups(host)
    host.tool_servers.onChange((id, state) => {
      void publishState(host, id, state).catch((cause: unknown) =>
        host.log.write('warn', 'the state of a tool server could not be published', { server: id, cause }),
      )
    })
  },
  async prune(host) {
    const { audit_retention_days } = await readSecurity(host)
    const before = iso(host.clock.now() - audit_retention_days * day)
    return [pruneAudit(before), pruneChanges(before)]
  },
})

/** The temporary connection of a test has an id that is not stored, so nothing is announced. */
async function publishState(host: Host, id: string, state: string): Promise<void> {
  if (host.process.stopping.aborted || !(await toolServers.find(host, { id }))) return
  await commit(host, [], [{ type: 'tool_server.changed', data: { tool_server_id: id, state } }])
}
