import { defineArea } from '../area.ts'

export const loopsArea = defineArea({
  name: 'loops',
  references: {
    loop: async (context, id) => (await (await import('./loop-store.ts')).findShownLoop(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).loopEvents,
  waiting: async (context) => (await import('./loop-store.ts')).waitingLoops(context),
  automations: async (context) => (await import('./loop-store.ts')).listAutomations(context),
  runs: async (context, filter) => (await import('./loop-store.ts')).summarizeRuns(context, filter),
  tables: ['loops', 'loop_runs', 'loop_iterations'],
  owned_tables: ['loops'],
  work: {
    'loops.iterate': async () => (await import('./iterate.ts')).loopIterate,
    'loops.iteration_end': async () => (await import('./iteration-end.ts')).iterationEnd,
    'loops.deadline': async () => (await import('./iterate.ts')).loopDeadline,
  },
  retained: { loop_runs: async () => (await import('./loop-store.ts')).retainedRuns },
  targets: { loop: async () => (await import('./target.ts')).loopTarget },
  tools: async () => [(await import('./tool.ts')).loop],
})
