import { defineArea } from '../area.ts'
import { schedule } from './enqueue-due.ts'
import { pauseJobsOf } from './job-store.ts'
import { deliveryPurpose } from './kinds.ts'

const fixedChannels = new Set(['none', 'chat', 'email', 'webhook'])

export const schedulerArea = defineArea({
  name: 'scheduler',
  references: {
    job: async (context, id) => (await (await import('./job-store.ts')).findOwnJob(context, id)) !== null,
    delivery_channel: async (_, name) => fixedChannels.has(name),
  },
  events: async () => (await import('./events.ts')).schedulerEvents,
  tables: [
    'scheduler_jobs',
    'scheduler_runs',
    'scheduler_marks',
    'scheduler_chains',
    'scheduler_chain_jobs',
    'scheduler_chain_edges',
    'scheduler_chain_runs',
    'scheduler_chain_steps',
  ],
  owned_tables: ['scheduler_jobs', 'scheduler_chains'],
  sealed: [{ table: 'scheduler_jobs', column: 'settings', purpose: deliveryPurpose }],
  work: {
    'scheduler.catchup': async () => (await import('./begin.ts')).catchUpBegin,
    'scheduler.chain': async () => (await import('./chain-runs.ts')).chainFollow,
    'scheduler.delivery': async () => (await import('./delivery.ts')).delivery,
    'scheduler.end': async () => (await import('./end.ts')).runEnd,
    'scheduler.run': async () => (await import('./begin.ts')).runBegin,
    'scheduler.stop': async () => (await import('./end.ts')).runStop,
  },
  removed: { agent: (id) => [pauseJobsOf(id, 'Its agent was deleted; choose another for the job')] },
  automations: async (context) => (await import('./automations.ts')).listAutomations(context),
  runs: async (context, filter) => (await import('./run-store.ts')).summarizeRuns(context, filter),
  targets: { agent: async () => (await import('./agent-target.ts')).agentTarget },
  retained: { runs: async () => (await import('./run-store.ts')).retainedRuns },
  sources: [schedule],
  async tools() {
    const { scheduleJob, listJobs, cancelJob } = await import('./tools.ts')
    return [scheduleJob, listJobs, cancelJob]
  },
})
