import { z } from 'zod'
import { event } from '../events/event.ts'
import { processState } from '../process-state.ts'
import { prompt } from '../prompts/prompt.ts'
import { pathsChanged } from '../tools/file-changes.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { unlessAborted } from '../within.ts'
import { Stopping } from '../work/run.ts'
import { WorkStatus } from '../work/schema.ts'
import { listWork } from '../work/select.ts'
import { findConversation, insertConversation, taintConversation } from './conversation-store.ts'
import { createdEvent, draftConversation } from './conversations.ts'
import { attachToAnswer, followTurn } from './live.ts'
import { draft, findMessage, insertMessage } from './message-store.ts'
import { type DelegatedBy, type Message, NewConversation, turnKind } from './schema.ts'
import { newTurn } from './send.ts'
import { stopTurns } from './turns.ts'

const Input = z.object({
  task: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .describe('Everything the helper needs to know: it sees nothing of this conversation'),
  tools: z.array(z.string().max(200)).max(50).optional().describe('Only these of your tools; default: all'),
  files: z
    .array(z.string().max(1_000))
    .max(50)
    .optional()
    .describe('The files that the helper is to write; helpers that share one run one after the other'),
  budget_usd: z.number().min(0).max(10).default(1).describe('What the helper may spend'),
  budget_tokens: z.int().min(1).max(10_000_000).default(1_000_000).describe('Input and output'),
})
type Input = z.output<typeof Input>

/** Helpers of one answer that work at once; more of them wait. */
const maxAtOnce = 4

interface Helper {
  files: readonly string[]
  ended: Promise<unknown>
}

/** The helpers that work now, by the answer that called them. */
const helpers = processState(() => new Map<string, Set<Helper>>())

/**
 * A helper with its own conversation, for a bounded task. Its calls are checked like the agent's own, in the same modes;
 * it has no tools that the agent lacks, and cannot delegate further. It ends with the answer that called it. A restart
 * interrupts both, and the answer then waits for the same helper.
 */
export const delegate = tool({
  name: 'delegate',
  description:
    'Have a helper do one bounded task in a conversation of its own and report the result with the files that it changed. ' +
    'Use it for work whose details would only fill this conversation, such as reading many pages or files; calls in one ' +
    'step run in parallel, at most four. The helper has your tools, files and limits, and cannot ask the person.',
  input: Input,
  effect: () => 'read',
  // The helper has a budget of its own, which untrusted text must not spend.
  risk: () => 'medium',
  untrusted: (output) => (output as { untrusted?: boolean }).untrusted === true,
  timeout_seconds: 3_600,
  resumable: true,
  summary: ({ task }) => `Delegate: ${clipped(task, 150)}`,
  async run(input, scope) {
    const all = helpers(scope.context)
    const own = all.get(scope.message_id) ?? new Set()
    all.set(scope.message_id, own)
    const { files = [] } = input
    for (let before = hindrances(own, files); before.length > 0; before = hindrances(own, files))
      await unlessAborted(Promise.race(before), scope.signal)
    const work = delegated(input, scope)
    const helper = { files, ended: work.catch(() => undefined) }
    own.add(helper)
    try {
      return await work
    } finally {
      own.delete(helper)
      if (own.size === 0) all.delete(scope.message_id)
    }
  },
})

/** What a helper that writes these files waits for. */
function hindrances(helpers: ReadonlySet<Helper>, files: readonly string[]): Promise<unknown>[] {
  const all = [...helpers]
  const waits = all.length >= maxAtOnce ? all : all.filter((one) => one.files.some((path) => files.includes(path)))
  return waits.map(({ ended }) => ended)
}

async function delegated(input: Input, scope: ToolScope): Promise<object> {
  const { context, signal } = scope
  const answer = (await startedAnswer(scope)) ?? (await startHelper(input, scope))
  try {
    for await (const _ of followTurn(context, await attachToAnswer(context, answer), signal));
    signal.throwIfAborted()
  } catch (thrown) {
    const { stopping } = context.process
    if (!stopping.aborted && !(signal.reason instanceof Stopping))
      await stopTurns({ ...context, signal: stopping }, answer.conversation_id)
    throw thrown
  }
  return resultOf(scope, answer.id)
}

/** The answer of the helper that this call started before a restart. */
async function startedAnswer({ context, message_id, call_id }: ToolScope): Promise<Message | null> {
  const turns = await listWork(context, {
    kind: turnKind,
    status: WorkStatus.options,
    delegated_by: message_id,
  })
  const turn = turns.find((work) => (work.payload.delegated_by as DelegatedBy).call_id === call_id)
  return turn ? findMessage(context, turn.subject) : null
}

async function startHelper(
  { task, tools, files, budget_usd, budget_tokens }: Input,
  scope: ToolScope,
): Promise<Message> {
  const { context, agent, message_id, call_id, project_id } = scope
  const caller = await findConversation(context, scope.conversation_id)
  if (!caller) throw new ToolError('The conversation was deleted')
  const { mode, execution_mode, model } = caller
  const input = NewConversation.parse({
    title: clipped(task, 80),
    agent_id: agent.id,
    project_id,
    mode,
    model,
  })
  const conversation = {
    ...(await draftConversation(context, input)),
    kind: 'internal' as const,
    execution_mode,
  }
  const note = draft(context, conversation.id, { role: 'system', content: instructionsFor(files) })
  const question = draft(context, conversation.id, { role: 'user', content: task })
  const turn = newTurn(context, conversation.id, {
    spender: {
      ...scope.spender,
      delegate_caps: { usd: budget_usd, tokens: budget_tokens },
      answer: scope.spender?.answer ?? { conversation_id: scope.conversation_id, message_id },
    },
    delegated_by: { message_id, call_id, ...(tools && { tools }) },
  })
  const written = await context.commit(
    [
      insertConversation(conversation),
      ...(scope.tainted ? [taintConversation(conversation.id)] : []),
      insertMessage(note),
      insertMessage(question),
      ...turn.statements,
    ],
    [
      createdEvent(conversation),
      event('agent.run.started', { conversation_id: conversation.id, message_id: turn.answer.id }),
    ],
  )
  turn.begin(written)
  return turn.answer
}

const instructionsFor = (files: readonly string[] = []): string => prompt('helper', { files: files.join(', ') })

async function resultOf({ context }: ToolScope, id: string): Promise<object> {
  const message = await findMessage(context, id)
  const conversation = message && (await findConversation(context, message.conversation_id))
  if (!message || !conversation) throw new ToolError('The conversation of the helper was deleted')
  const { error, content, cost_usd, input_tokens, output_tokens } = message
  return {
    status: error ? 'failed' : 'done',
    report: content,
    ...(error && { error: error.message }),
    files_changed: await pathsChanged(context, id),
    cost_usd,
    tokens: input_tokens + output_tokens,
    conversation: `/chat/${conversation.id}`,
    untrusted: conversation.tainted,
  }
}
