import { z } from 'zod'
import { workingAgent } from '../agents/index.ts'
import { describeNow } from '../auth/profile.ts'
import { describeCalls } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import type { Spender } from '../ledger/spender.ts'
import { offlineProvider } from '../models/models.ts'
import { probe } from '../outbound/probe.ts'
import { ModelError } from '../ports/models.ts'
import { SandboxError } from '../ports/sandbox.ts'
import { ScriptError } from '../ports/script.ts'
import { prompt } from '../prompts/prompt.ts'
import { askStructured, chooseModel, UnusableAnswer } from '../providers/index.ts'
import { cut } from '../tools/text.ts'
import { describeTexts } from '../tools/text-files.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { loopFiles } from './files.ts'
import type { StoredIteration, StoredLoop } from './loop-store.ts'
import { type Loop, Verdict, type Verification } from './schema.ts'
import { requireShell, runShellCheck } from './shell-check.ts'

/**
 * `error`: nothing is known about the goal. `weight` 2 counts as two errors in a row. `failed`: the check could not finish,
 * perhaps because something that it reads is missing.
 */
export type Verified =
  | { verdict: Verdict; untrusted: boolean; failed?: boolean }
  | { ask: string }
  | { error: string; weight: 1 | 2 }
  | { over_budget: string }

type Verifier<Kind extends Verification['kind']> = (
  context: Context,
  loop: StoredLoop,
  check: { iteration: StoredIteration; spec: Extract<Verification, { kind: Kind }>['spec'] },
) => Promise<Verified>

const reached = (evidence: string): Verdict => ({ score: 100, complete: true, missing: [], evidence })
const notReached = (missing: string[], evidence: string): Verdict => ({
  score: 0,
  complete: false,
  missing,
  evidence,
})

/** Who or what verifies a loop now: the offline model never judges, so its owner is asked instead. */
export async function verifierOf(
  context: Context,
  { verification: { kind }, agent_id }: Pick<Loop, 'verification' | 'agent_id'>,
): Promise<Verification['kind']> {
  if (kind !== 'judge') return kind
  try {
    const agent = await workingAgent(context, agent_id)
    return (await chooseModel(context, null, agent.model)).provider === offlineProvider ? 'human' : kind
  } catch (thrown) {
    // Its agent cannot work now; the start says so.
    if (thrown instanceof Fault) return kind
    throw thrown
  }
}

/** Throws a `Fault` if a loop cannot be verified here. */
export async function requireVerifier(context: Context, { verification }: Loop): Promise<void> {
  if (verification.kind === 'command' && verification.spec.language === 'shell') await requireShell(context)
}

/** Who pays for a call of an iteration. */
export const spenderOf = (loop: StoredLoop, iteration: string) => ({
  category: 'loops' as const,
  loop_id: loop.id,
  ...(loop.job ? { job_id: loop.job.id } : {}),
  run_ref: iteration,
  loop_budget: {
    since: loop.started_at ?? loop.created_at,
    usd: loop.budget.usd,
    tokens: loop.budget.tokens,
    by_person: !loop.usd_by_agent,
  },
})

const Opinion = Verdict.extend({
  score: z.number().min(0).max(100).describe('0 to 100'),
  complete: z.boolean().describe('Whether the goal is reached and every criterion is met'),
  missing: z.array(z.string().max(2_000)).max(20).describe('What is missing; empty if complete'),
  evidence: z.string().max(5_000).describe('What in the results proves it'),
})

/** Characters of the report, the actions and the files that the judge reads. */
const maxReport = 20_000
const maxFiles = 30_000

const judge: Verifier<'judge'> = async (context, loop, { iteration, spec }) => {
  const agent = await workingAgent(context, loop.agent_id)
  const access = await chooseModel(context, null, agent.model)
  if (access.provider === offlineProvider)
    return { ask: `No model is set up that could judge. Is the goal reached? ${cut(loop.goal, 500).text}` }
  const { texts, tainted } = await loopFiles(context, loop, {
    max_chars: maxFiles,
    max_each: maxFiles / 2,
    since: loop.started_at,
  })
  const spender: Spender = { ...spenderOf(loop, iteration.id), agent_id: agent.id }
  const { value } = await askStructured(context, {
    access,
    name: 'submit_verdict',
    description: 'Says whether the goal is reached.',
    schema: Opinion,
    problems: ({ complete, missing }) =>
      complete && missing.length > 0 ? ['complete is true, but something is missing; decide'] : [],
    system: prompt('judge'),
    text: [
      await describeNow(context),
      `Goal: ${loop.goal}`,
      `Criteria:\n${criteriaOf(loop)}`,
      ...(spec.instructions ? [`How to judge: ${spec.instructions}`] : []),
      ...(loop.constraints ? [`Constraints that must be kept: ${loop.constraints}`] : []),
      `Report of the last iteration:\n${wrapUntrusted(cut(iteration.summary, maxReport).text)}`,
      `Its actions:\n${wrapUntrusted(cut(describeCalls(iteration.actions), maxReport).text)}`,
      `Files that have changed:\n${describeTexts(texts)}`,
    ].join('\n\n'),
    max_output_tokens: 2_000,
    spender,
    agent,
    max_wait: Number.POSITIVE_INFINITY,
  })
  return { verdict: value, untrusted: tainted }
}

export const criteriaOf = ({ success_criteria, goal }: Loop): string =>
  (success_criteria.length > 0 ? success_criteria : [goal]).map((one) => `- ${one}`).join('\n')

const Checked = z.object({
  complete: z.boolean(),
  score: z.number().min(0).max(100).optional(),
  missing: z.array(z.string()).max(50).default([]),
  evidence: z.string().max(5_000).default(''),
})

/** Characters of the files that a check reads. */
const maxInput = 1_000_000

const command: Verifier<'command'> = async (context, loop, { iteration, spec }) => {
  if (spec.language === 'shell') return shell(context, loop, spec.code)
  const { goal, success_criteria } = loop
  const { texts, tainted } = await loopFiles(context, loop, { max_chars: maxInput, since: null })
  const input = {
    goal,
    success_criteria,
    iteration: iteration.index,
    report: iteration.summary,
    files: texts,
  }
  const result = await context.script.run({ code: spec.code, input, timeout_ms: 30_000 }, context.signal)
  if (!result.ok && result.error === 'syntax')
    return { error: `The check is not valid JavaScript: ${result.message}`, weight: 2 }
  if (!result.ok)
    return {
      verdict: notReached([`The check failed: ${result.message}`], ''),
      untrusted: tainted,
      failed: true,
    }
  if (result.value === true) return { verdict: reached('The check returned true'), untrusted: false }
  const checked = Checked.safeParse(result.value).data
  if (checked)
    return {
      verdict: { ...checked, score: checked.score ?? (checked.complete ? 100 : 0) },
      untrusted: tainted,
    }
  const text = cut(JSON.stringify(result.value) ?? 'nothing', 2_000).text
  return { verdict: notReached([`The check returned ${text}, not true`], ''), untrusted: tainted }
}

/** The end of what a command printed, for the next iteration. */
const maxPrinted = 4_000

async function shell(context: Context, loop: StoredLoop, code: string): Promise<Verified> {
  const { exit_code, error, stdout, stderr, untrusted } = await runShellCheck(context, loop, code)
  const printed = `${stdout}\n${stderr}`.trim().slice(-maxPrinted)
  if (exit_code === 0) return { verdict: reached(printed || 'The command exited with 0'), untrusted }
  const reason = error ? `The check failed: ${error}` : `The command exited with ${exit_code}`
  return { verdict: notReached([reason], printed), untrusted, failed: error !== null }
}

const http: Verifier<'http'> = async (context, _, { spec }) => {
  const answer = await probe(context, spec.url)
  if (answer.ok) return { verdict: reached(`${spec.url} was answered with a 2xx status`), untrusted: false }
  if (answer.refused) return { error: answer.reason, weight: 2 }
  return { verdict: notReached([answer.reason], ''), untrusted: false }
}

const human: Verifier<'human'> = async (_, { goal }, { spec }) => ({
  ask: spec.question || `Is the goal reached? ${cut(goal, 500).text}`,
})

const verifiers: { [Kind in Verification['kind']]: Verifier<Kind> } = { judge, command, http, human }

/** Finds out whether the goal is reached. A check that fails says nothing: the goal never counts as reached. */
export async function verify(context: Context, loop: StoredLoop, iteration: StoredIteration): Promise<Verified> {
  const { kind, spec } = loop.verification
  try {
    return await (verifiers[kind] as Verifier<typeof kind>)(context, loop, { iteration, spec: spec as never })
  } catch (thrown) {
    if (context.signal.aborted) throw thrown
    if (thrown instanceof ModelError && thrown.code === 'budget_exceeded') return { over_budget: thrown.message }
    // Both the answer and its correction were unusable.
    if (thrown instanceof UnusableAnswer)
      return { error: `The judge gave no usable verdict: ${thrown.message}`, weight: 2 }
    if ([ModelError, Fault, ScriptError, SandboxError].some((kind) => thrown instanceof kind))
      return { error: (thrown as Error).message, weight: 1 }
    throw thrown
  }
}
