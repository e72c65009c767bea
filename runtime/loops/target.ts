import { findConversation } from '../chat/index.ts'
import { Fault, invalidField } from '../fault.ts'
import type { RunOutcome, Target } from '../schedules/targets.ts'
import { startOf, stopLoop } from './control.ts'
import { findAnyRun, findLoopOfRun, findOwnLoop, listIterations } from './loop-store.ts'
import { requireLoop, rowsOf } from './loops.ts'
import type { LoopRun } from './schema.ts'

export const loopTarget: Target = {
  async check(context, { target, execution_mode, model }) {
    if (target.id === null || !(await findOwnLoop(context, target.id)))
      throw invalidField('target.id', 'must be the id of a loop')
    if (execution_mode !== 'auto') throw invalidField('execution_mode', 'must be auto; the loop has its own mode')
    if (model !== null) throw invalidField('model', 'must be null: the loop uses the model of its agent')
    return { agent_id: null, id: target.id }
  },

  async start(context, job, run) {
    const loop = await requireLoop(context, job.target.id ?? '')
    const step = await startOf(context, loop, { id: job.id, run_id: run.id })
    const [statements, events] = rowsOf(step)
    const { conversation_id, run_id } = step.loop
    return { conversation_id, message_id: null, started_id: run_id, statements, events }
  },

  async outcome(context, { started_id }) {
    const run = started_id === null ? null : await findAnyRun(context, started_id)
    if (!run) return { status: 'cancelled', error: 'Its loop was deleted' }
    const conversation = run.conversation_id ? await findConversation(context, run.conversation_id) : null
    const last = (await listIterations(context, run.id)).at(-1)
    const { input_tokens = 0, output_tokens = 0 } = conversation ?? {}
    const result = { input_tokens, output_tokens, cost_usd: run.cost_usd, output: last?.summary ?? null }
    const status = statuses[run.status]
    if (!status) return null
    if (status === 'succeeded') return { status, ...result }
    return { status, error: run.error ?? 'Its loop was stopped', ...result }
  },

  async subjects(context, { started_id }) {
    return (await listIterations(context, started_id)).map(({ id }) => id)
  },

  async stop(context, { started_id }) {
    const loop = started_id === null ? null : await findLoopOfRun(context, started_id)
    try {
      if (loop) await stopLoop(context, loop.id)
    } catch (thrown) {
      // It ended in the meantime.
      if (!(thrown instanceof Fault)) throw thrown
    }
    return true
  },
}

const statuses: Partial<Record<LoopRun['status'], RunOutcome['status']>> = {
  completed: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
}
