import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { BackupJob } from './backup/schema.ts'

const BackupAction = z.enum(['create', 'verify', 'restore'])

export const settingsEvents = {
  'settings.updated': z.object({ section: z.string() }),
  'backup.created': z.object({ name: z.string(), reason: z.enum(['manual', 'scheduled']) }),
  'backup.failed': z.object({ action: BackupAction, name: z.string().nullable(), error: z.string() }),
  'backup.restored': z.object({ name: z.string(), by: z.string(), previous: z.string().nullable() }),
  'backup.job.updated': z.object({ job: BackupJob }),
  'storage.budget_reached': z.object({
    state: z.enum(['near', 'exceeded']),
    bytes: z.number(),
    budget_bytes: z.number(),
    /** Size of the deleted (oldest) data. */
    deleted_bytes: z.number(),
  }),
  /** The daily cleanup, or one on request, has ended. */
  'storage.cleaned': z.object({ database_bytes: z.number() }),
  'skill.created': z.object({ skill_id: z.string(), name: z.string(), enabled: z.boolean() }),
  'skill.updated': z.object({ skill_id: z.string().optional(), name: z.string(), enabled: z.boolean() }),
  'skill.deleted': z.object({ skill_id: z.string(), name: z.string(), enabled: z.boolean() }),
  'tool_server.created': z.object({ tool_server_id: z.string() }),
  'tool_server.updated': z.object({ tool_server_id: z.string() }),
  'tool_server.deleted': z.object({ tool_server_id: z.string() }),
  'tool_server.discovered': z.object({ tool_server_id: z.string(), tools: z.int() }),
  'tool_server.connected': z.object({ tool_server_id: z.string(), tools: z.int() }),
  'tool_server.changed': z.object({ tool_server_id: z.string(), state: z.string() }),
  'tool_server.disconnected': z.object({ tool_server_id: z.string() }),
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof settingsEvents> {}
}
