import { defineArea } from '../area.ts'

export const authArea = defineArea({
  name: 'auth',
  events: async () => (await import('./events.ts')).authEvents,
  tables: ['users', 'api_keys', 'sessions', 'ws_tickets', 'bootstrap', 'audit'],
})
