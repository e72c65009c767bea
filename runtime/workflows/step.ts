import type { Context } from '../context.ts'
import { iso } from '../time.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import type { Work } from '../work/schema.ts'
import { findDrawing } from './drawing.ts'
import { runEvent } from './ending.ts'
import { advance } from './engine.ts'
import { endExecution, findExecution, findRow, loadOf, promote, queuedExecutions } from './execution-store.ts'
import { errorKind, promoteKind, stepKind, wakeKind } from './kinds.ts'
import { RunningExecution } from './running-execution.ts'
import { deadlineOf, startExecution, stepWork } from './start.ts'
import { findWorkflow } from './workflow-store.ts'

const forever = { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: () => 5 }

/** Advances an execution until it has ended or waits. The units of one execution run one after the other. */
export const workflowStep: WorkKind = {
  kind: stepKind,
  max_running: 64,
  after_crash: 'retry',
  // The execution waits for it, however long the disk is full.
  retry: forever,
  async run({ subject, attempt }: Work, context: Context): Promise<WorkOutcome> {
    const execution = await findExecution(context, subject)
    if (!execution || execution.completed_at !== null || execution.status === 'queued') return { status: 'succeeded' }
    const drawing = await findDrawing(context, execution)
    if (!drawing) {
      const error = { node_id: null, code: 'error', message: 'Its version of the workflow was deleted' }
      return {
        status: 'failed',
        statements: endExecution(subject, 'failed', error, iso(context.clock.now())),
      }
    }
    const chain_depth = execution.depth + 1
    const running = new RunningExecution({ ...context, chain_depth }, execution, drawing)
    return advance(running, { wasCut: attempt > 1 })
  },
}

/** Queues a step. Whoever causes it knows the execution only, and a step needs its lane. */
export const workflowWake: WorkKind = {
  kind: wakeKind,
  max_running: 16,
  after_crash: 'retry',
  retry: forever,
  async run({ subject }, context) {
    const execution = await findRow(context, subject)
    if (!execution || execution.completed_at !== null) return { status: 'succeeded' }
    return { status: 'succeeded', statements: [stepWork(context, execution)] }
  },
}

/** Starts the oldest queued executions of a workflow, as many as its mode allows. */
export const workflowPromote: WorkKind = {
  kind: promoteKind,
  max_running: 16,
  after_crash: 'retry',
  retry: forever,
  async run({ subject }, context) {
    const workflow = await findWorkflow(context, subject)
    if (!workflow) return { status: 'succeeded' }
    const { running, waiting } = await loadOf(context, subject)
    const { mode, max_concurrent } = workflow.settings
    const free = mode === 'parallel' ? max_concurrent - running : 1 - running - waiting
    const next = await queuedExecutions(context, subject, Math.max(0, free))
    const now = context.clock.now()
    const deadline = deadlineOf(now, workflow.settings)
    return {
      status: 'succeeded',
      statements: next.flatMap((one) => [promote(one.id, iso(now), deadline), stepWork(context, one)]),
      events: next.map((one) => ({
        ...runEvent('workflow.run.started', { ...one, name: workflow.name }, {}),
        owner_id: one.owner_id,
      })),
    }
  },
}

/** Starts the error workflow of a failed execution, with a report as its input. */
export const workflowError: WorkKind = {
  kind: errorKind,
  max_running: 16,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: () => 5 },
  async run({ subject }, context) {
    const execution = await findExecution(context, subject)
    const workflow = execution && (await findWorkflow(context, execution.workflow_id))
    const id = workflow?.settings.error_workflow_id
    const handler = id ? await findWorkflow(context, id) : null
    if (!workflow || !handler || handler.status === 'disabled' || handler.owner_id !== execution.owner_id)
      return { status: 'succeeded' }
    const { status, error, input } = execution
    const report = {
      workflow: { id: workflow.id, name: workflow.name },
      execution: { id: subject, status, error, input: input.value },
    }
    const started = await startExecution(context, handler, { trigger: 'error', input: report })
    return { status: 'succeeded', ...started }
  },
}
