import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { conflict, Fault, invalidField } from '../fault.ts'
import { endOf } from '../scheduler/index.ts'
import type { RunOutcome, Target } from '../schedules/targets.ts'
import { cut } from '../tools/text.ts'
import { childExecutions, findExecution } from './execution-store.ts'
import { cancelExecution } from './executions.ts'
import { startExecution } from './start.ts'
import { triggersOf } from './trigger-store.ts'
import { findShownWorkflow } from './workflow-store.ts'

/** Characters of the output in the run of the job. */
const maxReport = 20_000

/** A job that runs a workflow. The jobs of schedule triggers start at their node. */
export const workflowTarget: Target = {
  async check(context, { agent_id, target, execution_mode, model }) {
    if (target.id === null || !(await findShownWorkflow(context, target.id)))
      throw invalidField('target.id', 'must be the id of a workflow')
    if (agent_id !== null) throw invalidField('agent_id', 'must be absent: the nodes of the workflow name their agents')
    if (execution_mode !== 'auto') throw invalidField('execution_mode', 'must be auto, the mode of workflows')
    if (model !== null) throw invalidField('model', 'must be null: the nodes of the workflow name their models')
    return { agent_id: null, id: target.id }
  },

  async start(context, job, run) {
    const workflow = await findShownWorkflow(context, job.target.id ?? '')
    if (!workflow) throw conflict('Its workflow was deleted')
    if (workflow.status === 'disabled') throw conflict('Its workflow is disabled; activate it')
    const triggers = await triggersOf(context, workflow.id)
    const own = triggers.find(({ kind, key }) => kind === 'schedule' && key === job.id)
    const started = await startExecution(context, workflow, {
      trigger: 'schedule',
      input: {
        job_id: job.id,
        started_at: new Date(context.clock.now()).toISOString(),
        trigger: run.trigger,
      },
      ...(own ? { node: own.node_id } : {}),
      followed_by: endOf(run),
    })
    const { statements, events, execution } = started
    return { conversation_id: null, message_id: null, started_id: execution.id, statements, events }
  },

  async outcome(context, { started_id }): Promise<RunOutcome | null> {
    const execution = started_id === null ? null : await findExecution(context, started_id)
    if (!execution || execution.owner_id !== ownerOf(context))
      return { status: 'cancelled', error: 'Its execution was deleted' }
    const { status, error } = execution
    const output = execution.output.value
    if (status === 'queued' || status === 'running' || status === 'waiting') return null
    if (status !== 'succeeded') {
      const message = error?.message ?? `The execution is ${status}`
      // Another attempt could repeat an effect whose outcome is unknown.
      return { status, error: message, ...(error?.uncertain && { final: true }) }
    }
    return {
      status,
      output: cut(typeof output === 'string' ? output : JSON.stringify(output), maxReport).text,
    }
  },

  subjects: (context, { started_id }) =>
    started_id === null ? Promise.resolve([]) : withChildren(context, started_id),

  async stop(context, { started_id }) {
    if (started_id === null) return true
    try {
      await cancelExecution(context, started_id)
    } catch (thrown) {
      // It has ended in the meantime.
      if (!(thrown instanceof Fault)) throw thrown
    }
    return true
  },
}

/** An execution and the open ones of the workflows that it calls. */
async function withChildren(context: Context, id: string): Promise<string[]> {
  const children = await childExecutions(context, id)
  return [id, ...(await Promise.all(children.map((child) => withChildren(context, child.id)))).flat()]
}
