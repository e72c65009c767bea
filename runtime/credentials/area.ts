import { defineArea } from '../area.ts'
import { fieldsPurpose, tokensPurpose, verifierPurpose } from './purposes.ts'

export const credentialsArea = defineArea({
  name: 'credentials',
  references: {
    credential: async (context, name) => (await (await import('./credentials.ts')).findNamed(context, name)) !== null,
  },
  events: async () => (await import('./events.ts')).credentialEvents,
  tables: ['credentials'],
  owned_tables: ['credentials'],
  sealed: [
    { table: 'credentials', column: 'sealed_fields', purpose: fieldsPurpose },
    { table: 'credentials', column: 'sealed_tokens', purpose: tokensPurpose },
    { table: 'credentials', column: 'settings', purpose: verifierPurpose },
  ],
})
