import type { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import type { TurnSpender } from '../ledger/spender.ts'
import type { ServerAnswer } from '../ports/tool-servers.ts'
import type { Trust } from '../trust.ts'
import type { Agent } from './agent.ts'
import type { Effect, Risk } from './modes.ts'
import type { ToolQuestion } from './question.ts'

export interface ToolScope {
  context: Context
  agent: Agent
  conversation_id: string
  /** The project whose files the agent works on. */
  project_id: string | null
  message_id: string
  /** The id that the model gave this call; unique within the answer. */
  call_id: string
  /** The conversation contains untrusted text, so what is stored from it is not the owner's statement. */
  tainted: boolean
  /** Who pays for the turn besides the conversation. */
  spender?: TurnSpender | undefined
  /** For code that the agent writes: calls tools of the turn that only read; absent where there is no turn. */
  reading?: { names: readonly string[]; call(name: string, input: unknown): Promise<unknown> }
  /** Shows a picture to the model, after the result; absent where no model looks. */
  show?(picture: { name: string; bytes: Uint8Array }): Promise<void>
  /**
   * Asks the owner on behalf of another program and waits, however long it takes, until `withdrawn` aborts; absent where no
   * person can be asked.
   */
  ask?(question: ToolQuestion, withdrawn: AbortSignal): Promise<ServerAnswer>
  /** Aborts when the turn is stopped or the tool's time is up. */
  signal: AbortSignal
}

/** Who wrote what a call stores for later: the agent, or the untrusted text that it had read. */
export const trustOf = ({ tainted }: Pick<ToolScope, 'tainted'>): Trust => (tainted ? 'external' : 'agent')

/** What a call would change in a file. */
export interface FileChange {
  path: string
  /** Null for a new file. */
  before: string | null
  after: string
}

/** A failure that the model should read: what was wrong and what to do. */
export class ToolError extends Error {
  override name = 'ToolError'
}

/** The agent and host that would use a tool. */
export interface Offer {
  agent: Agent
  host: Host
  /** No person waits for the answer: a run of a job, a project, a loop or a channel. */
  unattended: boolean
}

export interface Tool<Input = unknown> {
  name: string
  /** For the model: what it does, when to use it, what it returns. */
  description: string
  input: z.ZodType<Input>
  /** JSON Schema of the input when another program defines and checks it; absent when `input` is complete. */
  input_schema?: Record<string, unknown>
  /** Where there are many tools, only its name is sent until the agent asks for it (`find-tools.ts`). */
  deferrable?: true
  /** Added to the system prompt when this tool is available. */
  prompt?: string
  effect(input: Input): Effect
  risk(input: Input): Risk
  /** The URL that the input is sent to, which could leak what was read before; null if there is none. */
  reaches?(input: Input): string | null
  /** One line for a person, for example `Fetch https://example.com`. */
  summary(input: Input): string
  /** The summary for a person who has to approve, if it takes a look: it names what a number stands for. */
  describe?(input: Input, scope: ToolScope): Promise<string>
  /** The change of a file that this call would make now; null if it changes none. Throws `ToolError`. */
  change?(
    input: Input,
    scope: Pick<ToolScope, 'context' | 'agent' | 'project_id' | 'spender' | 'signal'>,
  ): Promise<FileChange | null>
  /** Whether this output contains text that the owner did not write: data, never instructions. */
  untrusted(output: unknown): boolean
  /** Whether this agent has the tool here; absent for a tool that every agent may have. */
  offered?(where: Offer): Promise<boolean>
  /**
   * Whether the message of a person asks for exactly this call, so that it needs no approval, as the same thing on a page of
   * the UI needs none. Whatever the model has added makes it false.
   */
  requested?(input: Input, message: string, context: Context): Promise<boolean>
  /** The question with which the turn ends after this call, because the person has to answer. */
  question?(input: Input): string
  /** A call that a restart interrupted runs again: it continues the work that it has started, and repeats nothing. */
  resumable?: true
  timeout_seconds: number
  /** Runs one call with checked input. The result is JSON. Throws `ToolError` or `Fault` for what the model can correct. */
  run(input: Input, scope: ToolScope): Promise<unknown>
}

type Needed = 'name' | 'description' | 'input' | 'summary' | 'run'

/** A tool with the usual defaults: it only reads, its output is trusted, and it may take a minute. */
export function tool<Input>(definition: Pick<Tool<Input>, Needed> & Partial<Tool<Input>>): Tool {
  const defaults: Omit<Tool<Input>, Needed> = {
    effect: () => 'read',
    risk: () => 'low',
    untrusted: () => false,
    timeout_seconds: 60,
  }
  const run: Tool<Input>['run'] = (input, scope) => definition.run(input, scope).catch(toToolError)
  // The registry contains tools with different inputs; each gets only what its own schema accepted.
  return { ...defaults, ...definition, run } as unknown as Tool
}

/** The model reads what an area refuses. */
function toToolError(thrown: unknown): never {
  throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
}
