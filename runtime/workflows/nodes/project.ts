import { z } from 'zod'
import { isExpression } from '../../expressions.ts'
import { Fault } from '../../fault.ts'
import { addProject, findProject, NewProject, requestPlan, Strategy } from '../../projects/index.ts'
import { iso, second } from '../../time.ts'
import { hasUntrusted } from '../../untrusted.ts'
import { NodeError, nodeType, permanentError } from '../node-type.ts'

/** The name is part of prompts too, but marks in it would be shown wherever the project is. */
const trustOf = ({ description }: { description: string }, drawn: Record<string, unknown>) =>
  hasUntrusted(description) || isExpression(drawn.name) ? 'external' : 'owner'

/** Projects take minutes to days. */
const pollEvery = 30 * second

export const project = nodeType({
  type: 'project',
  title: 'Project',
  description:
    'Creates a project and has its plan made, which its owner approves. Its output is {project_id, status, error}.',
  category: 'ai',
  params: z.object({
    name: z.string().trim().min(1).max(200).meta({ title: 'Project name' }),
    description: z.string().max(50_000).default('').meta({ 'x-format': 'multiline' }),
    strategy: Strategy.optional(),
    auto_approve_plan: z.boolean().default(false).meta({ title: 'Approve the plan automatically' }),
    wait: z.boolean().default(false).meta({ title: 'Wait until the project has ended' }),
  }),
  prompts: ['description'],
  risk: 'high',
  side_effects: true,
  effect: () => true,
  async run({ wait, ...fields }, { context, node }) {
    try {
      const { id, name } = await addProject(context, NewProject.parse(fields), trustOf(fields, node.params))
      await requestPlan(context, id, { mode: 'generate' })
      if (!wait) return { output: { project_id: id, status: 'pending', error: null } }
      const until = iso(context.clock.now() + pollEvery)
      return { wait: { kind: 'project', message: `The project ${name} is running`, ref: id, until } }
    } catch (thrown) {
      throw thrown instanceof Fault ? new NodeError(thrown.code, thrown.message) : thrown
    }
  },
  async resume(_, { context }, wait) {
    const project = wait.ref ? await findProject(context, wait.ref) : null
    if (!project) throw permanentError('deleted', 'The project was deleted')
    const { id, status, error } = project
    if (status === 'completed') return { output: { project_id: id, status, error } }
    if (status === 'failed' || status === 'cancelled')
      throw new NodeError(`project_${status}`, error ?? `The project was ${status}`)
    return { wait: { ...wait, until: iso(context.clock.now() + pollEvery) } }
  },
})
