import { defineArea } from '../area.ts'
import { day, iso } from '../time.ts'

/** How long decisions are kept. Rules from overrides stay. */
const kept = 90 * day

export const dispatcherArea = defineArea({
  name: 'dispatcher',
  references: {
    decision: async (context, id) => (await (await import('./store.ts')).findDecision(context, id)) !== null,
    dispatcher_target: async (context, name) =>
      name.startsWith('/') || (await import('../agents/index.ts')).isUsableAgent(context, name),
  },
  events: async () => (await import('./events.ts')).dispatcherEvents,
  tables: ['dispatcher_decisions', 'dispatcher_rules'],
  owned_tables: ['dispatcher_decisions', 'dispatcher_rules'],
  async prune(host) {
    const { pruneDecisions } = await import('./store.ts')
    return [pruneDecisions(iso(host.clock.now() - kept))]
  },
})
