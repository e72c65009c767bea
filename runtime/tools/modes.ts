import { z } from 'zod'

/** What an agent may do without asking. See `policy.ts` for what each mode allows. */
export const ExecutionMode = z.enum(['read_only', 'approval_required', 'auto', 'autonomous'])
export type ExecutionMode = z.infer<typeof ExecutionMode>

/** `chat` uses no tools, `plan` only those that read, `agent` all that are allowed. */
export const Mode = z.enum(['chat', 'plan', 'agent'])
export type Mode = z.infer<typeof Mode>

/** How much harm a call can do. */
export const Risk = z.enum(['low', 'medium', 'high'])
export type Risk = z.infer<typeof Risk>

/**
 * The effect of a call: `read` changes nothing, `own` changes only the agent's own notes, `write` has effects
 * that others see or that cannot be undone, `propose` stores something that does nothing before a person approves it.
 * `policy.ts` uses it to decide whether a person must be asked. What sends something away, or spends money later, has more
 * than a low risk, whatever its effect: then it asks after untrusted text.
 */
export type Effect = 'read' | 'own' | 'write' | 'propose'
