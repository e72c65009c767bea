import { defineArea } from '../area.ts'
import { onEvents } from '../events/subscribe.ts'
import type { Host } from '../host.ts'
import { everyUser } from './owner.ts'
import { keepEnded } from './sessions.ts'
import { endedCredentials } from './store.ts'

const ending: readonly string[] = ['key.revoked', 'session.ended', 'user.updated', 'user.deleted']

/** Closes connections to this process whose credential another process has ended, and applies the redaction that it has set. */
function followOthers(host: Host, { alone }: { alone: boolean }): void {
  if (alone) return
  const { connections, stopping } = host.process
  const closeEnded = async () => {
    for (const id of await endedCredentials(host, connections.credentials)) connections.endOf(id)
  }
  const follow = async (type: string, data: unknown) => {
    const { id, section } = data as { id?: string; section?: string }
    if (type === 'key.rotated' && id) connections.endOf(id)
    if (ending.includes(type)) await closeEnded()
    if (type === 'settings.updated' && section === 'security') await (await import('./security.ts')).readSecurity(host)
  }
  onEvents(host, stopping, ({ type, data, foreign }) => {
    if (!foreign) return
    follow(type, data).catch((cause: unknown) =>
      host.log.write('error', 'cannot follow another daemon', { type, cause }),
    )
  })
}

export const authArea = defineArea({
  name: 'auth',
  references: {
    user: async (context, id) =>
      id === everyUser || (await (await import('./user-store.ts')).userById(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).authEvents,
  start: followOthers,
  // Whoever accepts an invitation is nobody yet.
  admin_events: ['invitation.created', 'invitation.deleted', 'user.created'],
  sources: [keepEnded],
  tables: ['users', 'invitations', 'api_keys', 'sessions', 'ws_tickets', 'bootstrap', 'audit'],
})
