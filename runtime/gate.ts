import type { Context } from './context.ts'

/** Something that may be refused or changed before it happens. */
export interface Intent {
  /** `memory.recall`: memories are added to the prompt. */
  type: 'tool.before' | 'message.received' | 'memory.recall'
  /** What the event of this type reports. */
  data: Record<string, unknown>
  /** The arguments of a tool, or `{message}`. */
  input: unknown
}

/** `ask`: a person must approve it first. */
export interface Verdict {
  decision: 'allow' | 'deny' | 'ask'
  reason: string | null
  /** The input with which it happens. */
  input: unknown
}

/** Asks every area that may object. The strictest answer counts, and each sees the input as the one before has left it. */
export async function passGates(context: Context, intent: Intent): Promise<Verdict> {
  let verdict: Verdict = { decision: 'allow', reason: null, input: intent.input }
  for (const { gate } of context.areas) {
    if (!gate) continue
    const next = await gate(context, { ...intent, input: verdict.input })
    verdict = next.decision === 'allow' ? { ...verdict, input: next.input } : next
    if (verdict.decision === 'deny') return verdict
  }
  return verdict
}
