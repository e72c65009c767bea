import { z } from 'zod'
import { workingAgent } from '../agents/index.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { matchesType } from '../events/pattern.ts'
import type { Intent, Verdict } from '../gate.ts'
import { evaluateJsonata } from '../jsonata.ts'
import { prompt } from '../prompts/prompt.ts'
import { askStructured, chooseModel } from '../providers/index.ts'
import { errorMessage } from '../thrown.ts'
import { iso, second } from '../time.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { isSameJson } from '../values.ts'
import { within } from '../within.ts'
import { runAndWait } from '../workflows/index.ts'
import { recorded } from './event-details.ts'
import { passes } from './filter.ts'
import { request } from './hook-actions.ts'
import { newRun } from './hook-consumer.ts'
import { Decision, insertRun } from './hook-run-store.ts'
import { blockingHooks, type StoredHook } from './hooks.ts'
import { templateValue } from './template.ts'

/** A hook's decision: a word, or an object that may change the input. */
const Answer = z.union([
  Decision.transform((decision) => ({ decision, reason: null, input: undefined })),
  z
    .object({
      decision: Decision.default('allow'),
      reason: z.string().max(2_000).nullish(),
      input: z.record(z.string(), z.unknown()).optional(),
    })
    .transform(({ decision, reason = null, input }) => ({ decision, reason, input })),
])
export type Answer = z.output<typeof Answer>

interface HookEvent {
  type: string
  ts: string
  data: Record<string, unknown>
}

/** The verdict of the caller's blocking hooks. Each sees the input as changed by the previous one; the first `deny` wins. */
export async function askHooks(context: Context, intent: Intent): Promise<Verdict> {
  let verdict: Verdict = { decision: 'allow', reason: null, input: intent.input }
  if (intent.type === 'memory.recall') return verdict
  for (const hook of await blockingHooks(context, ownerOf(context))) {
    if (!hook.events.some((pattern) => matchesType(pattern, intent.type))) continue
    const ts = iso(context.clock.now())
    const data = { ...intent.data, ...textOf(intent.type, verdict.input), input: verdict.input }
    const hookEvent = { type: intent.type, ts, data }
    if (!(await passesFilter(context, hook, hookEvent))) continue
    const { decision, reason = null, input: changed } = await answerOf(context, hook, hookEvent)
    const redacted: unknown = context.process.redaction.value(verdict.input)
    const input = changed === undefined ? verdict.input : restored(changed, redacted, verdict.input)
    if (decision === 'deny') return { decision, reason, input }
    verdict = decision === 'ask' ? { decision, reason, input } : { ...verdict, input }
  }
  return verdict
}

/** The input that a hook returned. What it saw redacted and did not change is as it was. */
function restored(changed: unknown, redacted: unknown, original: unknown): unknown {
  if (isSameJson(changed, redacted)) return original
  if (![changed, redacted, original].every((value) => typeof value === 'object' && value !== null)) return changed
  if (Array.isArray(changed))
    return changed.map((item, index) => restored(item, at(redacted, index), at(original, index)))
  const entries = Object.entries(changed as object)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, restored(value, at(redacted, name), at(original, name))]),
  )
}

const at = (value: unknown, name: string | number): unknown =>
  Object.hasOwn(value as object, name) ? (value as Record<string | number, unknown>)[name] : undefined

/** The text of a message under the same name as after the fact, so that one filter suits both. */
const textOf = (type: Intent['type'], input: unknown) =>
  type === 'message.received' ? { text: (input as { message?: unknown } | null)?.message } : {}

/** If the filter cannot be evaluated, a hook with `fail_mode: closed` is asked anyway. */
async function passesFilter(context: Context, hook: StoredHook, hookEvent: HookEvent): Promise<boolean> {
  if (hook.fail_mode === 'open' || hook.filter.trim() === '') return passes(context, hook, hookEvent)
  try {
    await evaluateJsonata(hook.filter, { ...hookEvent })
  } catch {
    return true
  }
  return passes(context, hook, hookEvent)
}

/** Asks one hook and records the run. If it fails, its `fail_mode` decides. */
async function answerOf(context: Context, hook: StoredHook, hookEvent: HookEvent): Promise<Answer> {
  const run = newRun(context, hook.id, redacted(context, hookEvent))
  const record = async (answer: Answer, error: string | null) => {
    const status = error === null ? ('succeeded' as const) : ('failed' as const)
    const { decision, reason, input } = answer
    const result = { reason, ...(input === undefined ? {} : { input: recorded(context, input) }) }
    const completed_at = iso(context.clock.now())
    await context.commit([insertRun({ ...run, status, decision, result, error, completed_at })])
    return answer
  }
  try {
    return await record(await decide(context, hook, hookEvent), null)
  } catch (thrown) {
    // Nobody waits for the decision any more.
    if (context.signal.aborted) throw thrown
    const error = errorMessage(thrown)
    const reason = `The hook ${hook.name} failed`
    return record({ decision: hook.fail_mode === 'open' ? 'allow' : 'deny', reason, input: undefined }, error)
  }
}

const redacted = (context: Context, { data, ...hookEvent }: HookEvent) => ({
  ...hookEvent,
  data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, recorded(context, value)])),
})

/** A hook's decision. Throws if it fails or takes too long. */
export function decide(context: Context, hook: StoredHook, hookEvent: HookEvent): Promise<Answer> {
  const milliseconds = hook.timeout_seconds * second
  return within(context, { milliseconds }, async (signal) =>
    parseAnswer(await ask({ ...context, signal }, hook, hookEvent)),
  )
}

function parseAnswer(value: unknown): Answer {
  const read = Answer.safeParse(value)
  if (read.success) return read.data
  throw new Error('The decision must be allow, deny, ask, or {decision, reason, input}')
}

async function ask(
  context: Context,
  { action, name, sealed_headers }: StoredHook,
  hookEvent: HookEvent,
): Promise<unknown> {
  if (action.kind === 'decide') return templateValue(`=${action.expression}`, { ...hookEvent })
  const data = { ...context.process.redaction.value(hookEvent) }
  switch (action.kind) {
    case 'http':
      return JSON.parse((await request(context, { action, sealed_headers }, data)).body) as unknown
    case 'agent':
      return askAgent(context, { agent_id: action.agent_id, rule: action.message, name, data })
    case 'workflow': {
      const input = action.input.trim() === '' ? data : await templateValue(action.input, data)
      const { status, output } = await runAndWait(context, action.workflow_id, input)
      if (status !== 'succeeded') throw new Error(`The workflow ended with the status ${status}`)
      return output
    }
    default:
      throw new Error(`A hook that starts a ${action.kind} cannot decide`)
  }
}

/** Asks a model to decide; the hook's message is its rule. */
async function askAgent(
  context: Context,
  { agent_id, rule, name, data }: { agent_id: string | null; rule: string; name: string; data: object },
): Promise<unknown> {
  const agent = await workingAgent(context, agent_id)
  const { value } = await askStructured(context, {
    access: await chooseModel(context, null, agent.model),
    name: 'submit_decision',
    description: 'Submits the decision.',
    schema: z.object({ decision: Decision, reason: z.string() }),
    system: prompt('hook', { rule }),
    text: wrapUntrusted(data),
    max_output_tokens: 1_000,
    spender: { category: 'internal', agent_id: agent.id, run_ref: name },
    agent,
  })
  return value
}
