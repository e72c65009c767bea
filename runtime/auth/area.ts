import { defineArea } from '../area.ts'
import { keepEnded } from './sessions.ts'

export const authArea = defineArea({
  name: 'auth',
  events: async () => (await import('./events.ts')).authEvents,
  sources: [keepEnded],
  tables: ['users', 'api_keys', 'sessions', 'ws_tickets', 'bootstrap', 'audit'],
})
