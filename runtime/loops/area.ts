import { defineArea } from '../area.ts'

export const loopsArea = defineArea({
  name: 'loops',
  events: async () => (await import('./events.ts')).loopEvents,
  tables: ['loops', 'loop_runs', 'loop_iterations'],
  owned_tables: ['loops'],
})
