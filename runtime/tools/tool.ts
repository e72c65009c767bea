import type { z } from 'zod'
import type { Agent } from '../agents/schema.ts'
import type { Risk } from '../chat/schema.ts'
import type { Context } from '../context.ts'

/**
 * What a call does to the world: `read` looks, `own` changes only the agent's own notes, `write` has effects
 * that others see or that cannot be taken back. `policy.ts` decides by it who must be asked.
 */
export type Effect = 'read' | 'own' | 'write'

/** Where a call happens. */
export interface ToolScope {
  context: Context
  agent: Agent
  conversation_id: string
  message_id: string
  /** The conversation has taken in text from outside, so what is kept of it is not the owner's word. */
  tainted: boolean
  /** Aborts when the turn is stopped or the tool's time is up. */
  signal: AbortSignal
}

/** The call failed in a way that the model should read: what was wrong and what to do. */
export class ToolError extends Error {
  override name = 'ToolError'
}

export interface Tool<Input = unknown> {
  name: string
  /** For the model: what it does, when to use it, what comes back. */
  description: string
  input: z.ZodType<Input>
  /** JSON Schema of the input where another program wrote it and checks it; absent where `input` says it all. */
  input_schema?: Record<string, unknown>
  /** What the system prompt says where this tool is at hand. */
  prompt?: string
  effect(input: Input): Effect
  risk(input: Input): Risk
  /** The URL that the input is sent to, which could carry off what was read before; null where there is none. */
  reaches?(input: Input): string | null
  /** One line for a person, for example `Fetch https://example.com`. */
  summary(input: Input): string
  /** Whether this output holds text from outside this machine's owner: data, never instructions. */
  untrusted(output: unknown): boolean
  /** The turn ends after this call, because the next word is the person's. */
  ends_turn: boolean
  timeout_seconds: number
  /** Runs one call with checked input. The result is JSON. Throws `ToolError` for what the model can mend. */
  run(input: Input, scope: ToolScope): Promise<unknown>
}

type Needed = 'name' | 'description' | 'input' | 'summary' | 'run'

/** A tool with the defaults that most have: it reads, its output is trusted, it may take a minute. */
export function tool<Input>(definition: Pick<Tool<Input>, Needed> & Partial<Tool<Input>>): Tool {
  const defaults: Omit<Tool<Input>, Needed> = {
    effect: () => 'read',
    risk: () => 'low',
    untrusted: () => false,
    ends_turn: false,
    timeout_seconds: 60,
  }
  // The registry holds tools of many inputs; each is given only what its own schema has let through.
  return { ...defaults, ...definition } as unknown as Tool
}
