import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { cosine } from '../memory/index.ts'
import { sumOf } from '../numbers.ts'
import { processState } from '../process-state.ts'
import { unlessAborted, within } from '../within.ts'
import sentences from './examples.json' with { type: 'json' }
import { fold } from './rules.ts'
import { type Candidate, Intent } from './schema.ts'

/** Neighbours that vote. */
const voters = 5
/** Sharpens the votes: near examples count much more than far ones. */
const sharpness = 3
/** Similarity at which neighbours that agree are right nine times out of ten, by leaving examples out. */
const certain = 0.4

/**
 * The intents of the nearest examples, most likely first. The confidence is the share of the votes, reduced if
 * even the nearest example is far away.
 */
export function vote(neighbours: readonly { intent: Intent; similarity: number }[]): Candidate[] {
  const nearest = neighbours.toSorted((left, right) => right.similarity - left.similarity).slice(0, voters)
  const votes = new Map<Intent, number>()
  for (const { intent, similarity } of nearest)
    votes.set(intent, (votes.get(intent) ?? 0) + Math.max(0, similarity) ** sharpness)
  const all = sumOf(votes.values())
  if (all === 0) return []
  const closeness = Math.min(1, (nearest[0]?.similarity ?? 0) / certain)
  return [...votes]
    .map(([intent, weight]) => ({ intent, confidence: (weight / all) * closeness }))
    .sort((left, right) => right.confidence - left.confidence)
}

/** The words of a text, its pairs of words and its letter triples. */
function featuresOf(text: string): ReadonlySet<string> {
  const words = text.match(/[\p{L}\p{M}#]+|\p{N}+/gu) ?? []
  const features = words.flatMap((word, index) => [
    word,
    `${words[index - 1] ?? '^'} ${word}`,
    ...Array.from({ length: word.length }, (_, start) => `~${` ${word} `.slice(start, start + 3)}`),
  ])
  return new Set(features)
}

const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  one.intersection(other).size / (Math.sqrt(one.size * other.size) || 1)

/** How much two folded texts have in common, 0 to 1. */
export const likeness = (left: string, right: string): number => overlap(featuresOf(left), featuresOf(right))

/** Sentences with what they were meant to be, written for this program. */
export const examples = Intent.options.flatMap((intent) =>
  sentences[intent].split(' | ').map((text) => ({ text, features: featuresOf(fold(text)), intent })),
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
  const features = featuresOf(fold(text.slice(0, maxText)))
  const share = meaning ? embedderShare : 0
  return vote(
    examples.map((example, at) => ({
      intent: example.intent,
      similarity: (1 - share) * overlap(features, example.features) + share * (meaning?.[at] ?? 0),
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
  const call = { provider: 'local' as const, model: null, texts: [text], purpose: 'query' as const }
  const [vector] = await host.embedder.embed(call)
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
