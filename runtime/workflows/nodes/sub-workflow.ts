import { z } from 'zod'
import { findExecution, findRow } from '../execution-store.ts'
import { linkInput } from '../item-files.ts'
import { NodeError, nodeType, permanentError, refusal } from '../node-type.ts'
import { beginExecution, maxDepth, startExecution, tooDeep } from '../start.ts'
import { findShownWorkflow } from '../workflow-store.ts'

export const subWorkflow = nodeType({
  type: 'sub_workflow',
  title: 'Sub-workflow',
  description: 'Runs another workflow and continues with its output.',
  category: 'flow',
  params: z.object({
    workflow_id: z.string().min(1).max(64).meta({ 'x-format': 'workflow' }),
    input: z.unknown().default('=input'),
    wait: z
      .boolean()
      .default(true)
      .meta({ description: 'Continue when it has ended; else at once with {execution_id}' }),
  }),
  risk: 'medium',
  side_effects: true,
  // The execution is stored in the same commit as the wait, so that it is never started twice.
  effect: ({ wait }) => !wait,
  async problems({ workflow_id }, context) {
    const workflow = await findShownWorkflow(context, workflow_id)
    return workflow ? [] : [{ field: 'workflow_id', message: `is not a workflow of yours: ${workflow_id}` }]
  },
  async run({ workflow_id, input, wait }, { context, execution, token }) {
    if ((context.chain_depth ?? 0) > maxDepth) throw permanentError('too_deep', tooDeep)
    const workflow = await findShownWorkflow(context, workflow_id)
    if (!workflow) throw permanentError('not_found', `There is no workflow ${workflow_id}`)
    const parent = { id: execution.id, token }
    try {
      const start = { trigger: 'sub_workflow' as const, input, parent, detached: !wait }
      if (!wait) {
        const { execution: detached } = await beginExecution(context, workflow, start)
        return { output: { execution_id: detached.id } }
      }
      const started = await startExecution(context, workflow, start)
      const ref = started.execution.id
      return { wait: { kind: 'sub_workflow', message: `${workflow.name} is running`, ref }, ...started }
    } catch (thrown) {
      throw refusal(thrown)
    }
  },
  async ready({ ref }, context) {
    const child = ref ? await findRow(context, ref) : null
    return child && child.completed_at === null ? undefined : (child?.status ?? null)
  },
  async resume(_, { context, execution }, { ref }) {
    const child = ref ? await findExecution(context, ref) : null
    if (!child) throw permanentError('deleted', 'The sub-workflow was deleted')
    if (child.status === 'succeeded') {
      // The files of its output last as long as what goes on with them.
      await context.commit(linkInput({ ...child, id: execution.id, input: child.output }))
      return { output: child.output.value }
    }
    throw new NodeError(`sub_workflow_${child.status}`, child.error?.message ?? `The sub-workflow is ${child.status}`, {
      // A person has stopped it.
      permanent: child.status === 'cancelled',
      definite: child.status !== 'timed_out' && !child.error?.uncertain,
    })
  },
})
