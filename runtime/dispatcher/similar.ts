import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { cosine } from '../memory/search/vector-codes.ts'
import { processState } from '../process-state.ts'
import { unlessAborted, within } from '../within.ts'
import sentences from './examples.json' with { type: 'json' }
import { likeness, vote } from './nearest.ts'
import { fold } from './rules.ts'
import { type Candidate, Intent } from './schema.ts'

/** Sentences with what they were meant to be, written for this program. */
export const examples = Intent.options.flatMap((intent) =>
  sentences[intent].split(' | ').map((text) => ({ text, folded: fold(text), intent })),
)

/** Characters of a sentence that are compared. */
const maxText = 480
/** Milliseconds that a decision waits for the embedder. Then it uses words only, and the next one finds it loaded. */
const patience = 150
/** Share of the embedder in the similarity; measured by leaving examples out. */
const embedderShare = 0.4

interface Embedded {
  state: 'idle' | 'loading' | 'ready' | 'unavailable'
  /** Of the examples, in their order. */
  vectors: Promise<Float32Array[]> | null
}

const embedded = processState((): Embedded => ({ state: 'idle', vectors: null }))

export const embeddingState = (host: Host): Embedded['state'] =>
  host.embedder.describe('local', null) ? embedded(host).state : 'unavailable'

/** The intents of the examples that are most like an English sentence, by words and, if given, by meaning. */
export function byWords(text: string, meaning?: readonly number[]): Candidate[] {
  const folded = fold(text.slice(0, maxText))
  const share = meaning ? embedderShare : 0
  return vote(
    examples.map((example, at) => ({
      intent: example.intent,
      similarity: (1 - share) * likeness(folded, example.folded) + share * (meaning?.[at] ?? 0),
    })),
  )
}

/** The same with the sentence's meaning, from the local embedder. Null without one, or while it is still loading. */
export async function byMeaning(context: Context, text: string): Promise<Candidate[] | null> {
  if (!context.embedder.describe('local', null)) return null
  try {
    const meaning = await within(context, { milliseconds: patience }, (signal) =>
      unlessAborted(similarities(context, text.slice(0, maxText).toWellFormed()), signal),
    )
    return byWords(text, meaning)
  } catch {
    context.signal.throwIfAborted()
    return null
  }
}

async function similarities(host: Host, text: string): Promise<number[]> {
  const state = embedded(host)
  state.vectors ??= embedExamples(host, state)
  const vectors = await state.vectors
  const [vector] = await host.embedder.embed({
    provider: 'local',
    model: null,
    texts: [text],
    purpose: 'query',
  })
  return vectors.map((each) => (vector ? Math.max(0, cosine(vector, each)) : 0))
}

/** Embeds the examples once. After a failure the next sentence tries again. */
async function embedExamples(host: Host, state: Embedded): Promise<Float32Array[]> {
  state.state = 'loading'
  const texts = examples.map(({ text }) => text)
  try {
    const vectors = await host.embedder.embed({ provider: 'local', model: null, texts, purpose: 'passage' })
    state.state = 'ready'
    return vectors
  } catch (cause) {
    Object.assign(state, { state: 'unavailable', vectors: null })
    host.log.write('warn', 'the examples of the dispatcher could not be embedded', { cause })
    throw cause
  }
}
