import { z } from 'zod'
import { workingAgent } from '../agents/index.ts'
import { describeNow } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { offlineProvider } from '../models/models.ts'
import { ModelError } from '../ports/models.ts'
import { prompt } from '../prompts/prompt.ts'
import { askStructured, UnusableAnswer } from '../providers/index.ts'
import { cut } from '../tools/text.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { goalOf } from './brief.ts'
import { describeEvidence, type Evidence } from './evidence.ts'
import type { Place } from './files.ts'
import { maxWaitOf, spenderOf } from './start-task.ts'
import { modelFor, rulesOf } from './strategy.ts'
import type { StoredTask } from './task-store.ts'

/** The evidence comes first, so that a model decides after it. */
const Verdict = z.object({
  evidence: z
    .string()
    .max(10_000)
    .default('')
    .describe('For each criterion, what in the calls, files or report proves it, or that nothing does'),
  met: z.boolean().describe('Whether every criterion is met'),
  missing: z.string().max(2_000).default('').describe('What is missing, in one or two sentences'),
})

/** Characters of a result that the reviewer reads. */
const maxResult = 30_000

/**
 * Checks a result against the acceptance criteria of its task, where the strategy asks for it. `missing` is null if
 * they are met, or if no model can check them: then the result is accepted, as without a review.
 */
export async function reviewTask(
  context: Context,
  project: Place,
  { task, evidence }: { task: StoredTask; evidence: Evidence },
): Promise<{ missing: string | null }> {
  if (!(await rulesOf(context, project.strategy)).reviews_tasks) return { missing: null }
  try {
    const agent = await workingAgent(context, task.agent_id ?? project.agent_id)
    const access = await modelFor(context, agent, project)
    if (access.provider === offlineProvider) return { missing: null }
    const { value } = await askStructured(context, {
      access,
      name: 'submit_verdict',
      description: 'Says whether the result meets the criteria.',
      schema: Verdict,
      system: prompt('reviewer'),
      text: [
        await describeNow(context),
        `Goal of the project:\n${goalOf(project)}`,
        `Task: ${task.title}\n${task.description}`,
        `Criteria:\n${criteriaOf(task)}`,
        ...(task.error ? [`An earlier attempt of this task failed:\n${task.error}`] : []),
        ...(await describeEvidence(context, project, { task, evidence })),
        `Report:\n${wrapUntrusted(cut(evidence.report, maxResult).text)}`,
      ].join('\n\n'),
      max_output_tokens: 4_000,
      spender: spenderOf(project, agent, task.id),
      agent,
      max_wait: maxWaitOf(project),
    })
    return {
      missing: value.met ? null : `The result does not meet the criteria: ${value.missing || 'no reason given'}`,
    }
  } catch (thrown) {
    if (
      !(thrown instanceof ModelError || thrown instanceof UnusableAnswer || thrown instanceof Fault) ||
      context.signal.aborted
    )
      throw thrown
    context.log.write('warn', 'a result was not reviewed', { task: task.id, cause: thrown.message })
    return { missing: null }
  }
}

const criteriaOf = ({ acceptance }: StoredTask): string =>
  acceptance.map((one) => `- ${one}`).join('\n') || '- The task is done as its title and description ask.'
