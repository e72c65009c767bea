import type { Context } from './context.ts'

/** An action that can be refused or changed before it happens. */
export interface Intent {
  /** `memory.recall`: memories are added to the prompt. */
  type: 'tool.before' | 'message.received' | 'memory.recall'
  /** The payload of the event. */
  data: Record<string, unknown>
  /** The arguments of a tool, or `{message}`. */
  input: unknown
}

/** `ask`: a person must approve it first. */
export interface Verdict {
  decision: 'allow' | 'deny' | 'ask'
  reason: string | null
  /** The input to use, possibly changed. */
  input: unknown
}

/** Asks every area with a gate. The strictest decision wins; each gate sees the input as changed by the previous one. */
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
