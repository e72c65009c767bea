import { defineArea } from '../area.ts'

export const tablesArea = defineArea({
  name: 'tables',
  references: {
    table: async (context, id) => (await (await import('./tables.ts')).tables.findOwn(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).tableEvents,
  // The rows of a table are in a table of their own, `data_<id>`.
  tables: ['data_tables', 'data_changes', 'data_change_rows'],
  owned_tables: ['data_tables'],
  tools: async () => [(await import('./tool.ts')).tablesTool],
})
