import { defineArea } from '../area.ts'
import { everyUser } from './owner.ts'
import { keepEnded } from './sessions.ts'

export const authArea = defineArea({
  name: 'auth',
  references: {
    user: async (context, id) =>
      id === everyUser || (await (await import('./user-store.ts')).userById(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).authEvents,
  sources: [keepEnded],
  tables: ['users', 'api_keys', 'sessions', 'ws_tickets', 'bootstrap', 'audit'],
})
