import { defineArea } from '../area.ts'
import { loadOnce } from '../load-once.ts'
import { tokenPurpose } from './trigger-store.ts'

/** Asked in each tick. */
const eventTriggers = loadOnce(async () => (await import('./event-source.ts')).eventTriggers)

export const workflowsArea = defineArea({
  name: 'workflows',
  references: {
    workflow: async (context, id) =>
      (await (await import('./workflow-store.ts')).findShownWorkflow(context, id)) !== null,
  },
  events: async () => (await import('./events.ts')).workflowEvents,
  waiting: async (context) => (await import('./execution-store.ts')).waitingExecutions(context),
  automations: async (context) => (await import('./workflow-store.ts')).listAutomations(context),
  runs: async (context, filter) => (await import('./execution-store.ts')).summarizeRuns(context, filter),
  tables: [
    'workflows',
    'workflow_versions',
    'workflow_executions',
    'workflow_node_runs',
    'workflow_loops',
    'workflow_loop_results',
    'workflow_blobs',
    'workflow_files',
    'workflow_seen',
    'workflow_sessions',
    'workflow_signals',
    'workflow_triggers',
    'workflow_loads',
  ],
  owned_tables: ['workflows', 'workflow_executions', 'workflow_files', 'workflow_sessions'],
  sealed: [{ table: 'workflow_triggers', column: 'sealed_token', key: 'node_id', purpose: tokenPurpose }],
  work: {
    'workflows.step': async () => (await import('./step.ts')).workflowStep,
    'workflows.wake': async () => (await import('./step.ts')).workflowWake,
    'workflows.error': async () => (await import('./step.ts')).workflowError,
    'workflows.promote': async () => (await import('./step.ts')).workflowPromote,
  },
  targets: { workflow: async () => (await import('./target.ts')).workflowTarget },
  sources: [
    {
      queueDue: async (host) => (await eventTriggers()).queueDue(host),
      nextDue: async () => null,
      clockSetBack: async () => undefined,
    },
  ],
  tools: async () => [(await import('./tool.ts')).workflow],
  caller_tools: async (context) => (await import('./tool.ts')).exposedTools(context),
  retained: { executions: async () => (await import('./execution-store.ts')).retainedExecutions },
})
