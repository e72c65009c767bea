import { defineArea } from '../area.ts'

export const authArea = defineArea({
  name: 'auth',
  tables: ['users', 'api_keys', 'sessions', 'ws_tickets', 'bootstrap', 'audit'],
})
