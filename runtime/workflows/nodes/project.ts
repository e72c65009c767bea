import { z } from 'zod'
import { Fault } from '../../fault.ts'
import { requestPlan } from '../../projects/planning.ts'
import { findProject } from '../../projects/project-store.ts'
import { addProject } from '../../projects/projects.ts'
import { NewProject, Strategy } from '../../projects/schema.ts'
import { iso, second } from '../../time.ts'
import { hasUntrusted } from '../../untrusted.ts'
import { isExpression } from '../expressions.ts'
import { NodeError, nodeType } from '../node-type.ts'

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
  async run({ wait, ...given }, { context, node }) {
    try {
      const { id, name } = await addProject(context, NewProject.parse(given), trustOf(given, node.params))
      await requestPlan(context, id, { mode: 'generate' })
      if (!wait) return { output: { project_id: id, status: 'pending', error: null } }
      const until = iso(context.clock.now() + pollEvery)
      return { wait: { kind: 'project', message: `The project ${name} is running`, ref: id, until } }
    } catch (thrown) {
      throw thrown instanceof Fault ? new NodeError(thrown.code, thrown.message) : thrown
    }
  },
  async resume(_, { context }, wait) {
    const found = wait.ref ? await findProject(context, wait.ref) : null
    if (!found) throw new NodeError('deleted', 'The project was deleted', { permanent: true })
    const { id, status, error } = found
    if (status === 'completed') return { output: { project_id: id, status, error } }
    if (status === 'failed' || status === 'cancelled')
      throw new NodeError(`project_${status}`, error ?? `The project was ${status}`)
    return { wait: { ...wait, until: iso(context.clock.now() + pollEvery) } }
  },
})
