import { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { ModelError } from '../ports/models.ts'
import { prompt } from '../prompts/prompt.ts'
import { askStructured, type ModelAccess, UnusableAnswer } from '../providers/index.ts'
import { second } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { within } from '../within.ts'
import { Intent } from './schema.ts'

/** Characters of the sentence that the model sees. */
const maxText = 2_000
/** Leaves room for models that reason before they answer. */
const maxTokens = 400
/** A person waits for it. */
const timeLimit = 6 * second

const Guess = z.object({
  intent: Intent,
  confidence: z.number().min(0).max(1).meta({ description: '1 is certain, below 0.5 a guess' }),
  reason: z.string().max(500).meta({ description: 'At most ten words' }),
})

export interface ModelGuess {
  /** Null if there was no usable answer. */
  guess: z.output<typeof Guess> | null
  tokens: number
}

/** Asks a model. A failure, a spent budget or a slow answer counts as no answer. */
export async function askModel(
  context: Context,
  access: ModelAccess,
  { agent, text, run_ref }: { agent: Agent; text: string; run_ref: string },
): Promise<ModelGuess> {
  let tokens = 0
  const question = {
    access,
    name: 'submit_intent',
    description: 'Submits what the message was meant to be.',
    schema: Guess,
    system: prompt('dispatcher'),
    text: wrapUntrusted(text.slice(0, maxText).toWellFormed()),
    max_output_tokens: maxTokens,
    spender: { category: 'internal' as const, agent_id: agent.id, run_ref },
    agent,
    spent: (usage: { input_tokens: number; output_tokens: number }) => {
      tokens += usage.input_tokens + usage.output_tokens
      return []
    },
  }
  try {
    const { value } = await within(context, { milliseconds: timeLimit }, (signal) =>
      askStructured({ ...context, signal }, question),
    )
    return { guess: value, tokens }
  } catch (thrown) {
    context.signal.throwIfAborted()
    const expected = thrown instanceof ModelError || thrown instanceof Fault || thrown instanceof UnusableAnswer
    context.log.write(expected ? 'info' : 'warn', 'the dispatcher got no answer from a model', { cause: thrown })
    return { guess: null, tokens }
  }
}
