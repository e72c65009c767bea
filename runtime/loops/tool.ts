import { z } from 'zod'
import { isShared } from '../auth/sharing.ts'
import { findConversation } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool, trustOf } from '../tools/tool.ts'
import { startLoop, stopLoop } from './control.ts'
import { findOwnLoop, listLoops } from './loop-store.ts'
import { addLoop, requireShownLoop, showLoop } from './loops.ts'
import { LoopBudget, LoopChanges, type LoopDetails, NewLoop } from './schema.ts'

const Input = z.object({
  action: z.enum(['start', 'status', 'stop']),
  loop_id: z.string().optional().describe('For stop; for status of one loop; for start of one that exists'),
  goal: LoopChanges.shape.goal.describe('For start: what the result must be'),
  success_criteria: LoopChanges.shape.success_criteria,
  verification: LoopChanges.shape.verification.describe(
    'For start: how it is checked; default a judge, or the person if no model is set up',
  ),
  max_iterations: LoopChanges.shape.max_iterations,
  budget_usd: LoopBudget.shape.usd.unwrap().unwrap().optional(),
})
type Input = z.output<typeof Input>

const defaultIterations = NewLoop.shape.max_iterations.parse(undefined)

const limitsText = (iterations = defaultIterations, usd: number | null = null): string =>
  `at most ${iterations} iterations${usd === null ? '' : ` and $${usd}`}`

const plainSummary = ({ action, goal, loop_id, max_iterations, budget_usd }: Input): string =>
  ({
    start:
      loop_id === undefined
        ? `Start a loop: ${clipped(goal ?? '', 120)} (${limitsText(max_iterations, budget_usd)})`
        : `Start the loop ${clipped(loop_id, 100)}`,
    status: `Read the state of ${clipped(loop_id ?? 'the loops', 100)}`,
    stop: `Stop the loop ${clipped(loop_id ?? '', 100)}`,
  })[action]

export const loop = tool({
  name: 'loop',
  description:
    'Work that is repeated in iterations until a check says that the goal is reached: by a judge, a JavaScript check, an ' +
    'HTTP request or the person. Agree with the person on the goal, the check and the limits, then start. status lists loops ' +
    'or shows one with its latest iterations.',
  input: Input,
  effect: ({ action }) => (action === 'status' ? 'read' : 'write'),
  // A loop costs money for as long as it runs: only an autonomous agent may start one without asking.
  risk: ({ action }) => (({ start: 'high', status: 'low', stop: 'medium' }) as const)[action],
  // Errors and reports may quote pages and files.
  untrusted: (output) => 'iterations' in (output as object),
  summary: plainSummary,
  async describe(input, { context }) {
    const loop = input.action !== 'status' && input.loop_id ? await findOwnLoop(context, input.loop_id) : null
    if (!loop) return plainSummary(input)
    if (input.action === 'stop') return `Stop the loop "${clipped(loop.name, 100)}"`
    const { name, goal, max_iterations, budget } = loop
    return `Start the loop "${clipped(name, 100)}": ${clipped(goal, 120)} (${limitsText(max_iterations, budget.usd)})`
  },
  run: (input, scope) => actions[input.action](input, scope),
})

const actions: Record<Input['action'], (input: Input, scope: ToolScope) => Promise<object>> = {
  async start(input, scope) {
    const { context, conversation_id } = scope
    await refuseInside(context, conversation_id)
    const id = input.loop_id ?? (await create(input, scope))
    const { name, status } = await startLoop(context, id)
    return { loop_id: id, name, status, next: `Its page is /loops/${id}` }
  },

  async status({ loop_id }, { context }) {
    if (loop_id !== undefined) return overview(await showLoop(context, await requireShownLoop(context, loop_id)))
    const { rows } = await listLoops(context, { limit: 20, offset: 0 })
    // What others have written is not the owner's statement.
    const own = rows.filter((one) => !isShared(context, one))
    return { loops: own.map(({ id, name, status, iteration }) => ({ id, name, status, iteration })) }
  },

  async stop({ loop_id }, { context }) {
    if (loop_id === undefined) throw new ToolError('stop needs `loop_id`')
    const { name, status } = await stopLoop(context, loop_id)
    return { loop_id, name, status }
  },
}

/** An agent that works in a loop or on a task starts no further loop. */
async function refuseInside(context: Context, conversation_id: string): Promise<void> {
  const kind = (await findConversation(context, conversation_id))?.kind
  if (kind === 'loop' || kind === 'internal')
    throw new ToolError('This is an iteration of a loop or a task; it cannot start loops')
}

async function create(input: Input, scope: ToolScope): Promise<string> {
  const agent_id = scope.agent.id
  const { goal, success_criteria, verification, max_iterations, budget_usd } = input
  if (goal === undefined) throw new ToolError('start needs `goal`, or the `loop_id` of a loop that exists')
  const wish = NewLoop.parse({
    goal,
    success_criteria,
    verification,
    max_iterations,
    agent_id,
    ...(budget_usd === undefined ? {} : { budget: { usd: budget_usd } }),
  })
  return (await addLoop(scope.context, wish, { trust: trustOf(scope), by_agent: true })).id
}

const overview = ({ id, name, status, error, question, iteration, last_verdict, iterations }: LoopDetails) => ({
  id,
  name,
  status,
  error,
  iteration,
  last_verdict,
  question: question?.question ?? null,
  iterations: iterations.slice(-5).map(({ index, summary, verdict }) => ({
    index,
    summary: clipped(summary, 500),
    complete: verdict?.complete ?? null,
  })),
})
