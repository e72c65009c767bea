/** Types of events after which something waits for its owner; each names what waits by its id. */
export const waits = [
  'approval.requested',
  'approval.required',
  'loop.blocked',
  'workflow.run.waiting',
  'channel.pairing.requested',
] as const

/** Types of events that are pushed by themselves: failures, the results of jobs, and what ran without asking. */
export const reports = [
  'job.run.failed',
  'loop.finished',
  'project.failed',
  'workflow.run.failed',
  'agent.run.failed',
  'message.injected',
  'permission.digest',
] as const
