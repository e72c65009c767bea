import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { yieldBetween } from '../memory/pace.ts'
import { processState } from '../process-state.ts'
import { unlessAborted, within } from '../within.ts'
import { examples } from './examples.ts'
import { cosine, vote, WordIndex } from './nearest.ts'
import { fold } from './rules.ts'
import type { Candidate } from './schema.ts'

/** Characters of a sentence that are compared. */
const maxText = 480
/** Milliseconds that a decision waits for the embedder. Then it uses words only, and the next one finds it loaded. */
const patience = 150
/** Share of the embedder in the similarity of English sentences; measured by leaving examples out. */
const embedderShare = 0.4

interface Known {
  words: Promise<WordIndex> | null
  state: 'idle' | 'loading' | 'ready' | 'unavailable'
  /** Of the English examples; the local model understands no other language. */
  vectors: ReadonlyMap<number, Float32Array>
  loading: Promise<void> | null
}

const known = processState(
  (): Known => ({
    words: null,
    state: 'idle',
    vectors: new Map(),
    loading: null,
  }),
)

export const embeddingState = (host: Host): Known['state'] =>
  host.embedder.describe('local', null) ? known(host).state : 'unavailable'

/** The intents of the examples that are most like a sentence, by their words. */
export const byWords = (host: Host, text: string): Promise<Candidate[]> => voteOn(host, text, () => 0, 0)

/**
 * The same with the meaning of an English sentence from the local embedder. Null if it adds nothing: another
 * language, or no embedder, or one that is still loading.
 */
export async function byMeaning(context: Context, text: string): Promise<Candidate[] | null> {
  if (!isEnglish(text) || !context.embedder.describe('local', null)) return null
  const state = known(context)
  try {
    const vector = await within(context, { milliseconds: patience }, (signal) =>
      unlessAborted(meaningOf(context, state, text), signal),
    )
    return await voteOn(context, text, (at) => similarity(state, vector, at), embedderShare)
  } catch {
    context.signal.throwIfAborted()
    return null
  }
}

async function meaningOf(host: Host, state: Known, text: string): Promise<Float32Array> {
  state.loading ??= embedExamples(host, state)
  await state.loading
  const texts = [text.slice(0, maxText).toWellFormed()]
  const [vector] = await host.embedder.embed({ provider: 'local', model: null, texts, purpose: 'query' })
  return vector ?? new Float32Array(0)
}

/** Embeds the examples once. After a failure the next sentence tries again. */
async function embedExamples(host: Host, state: Known): Promise<void> {
  state.state = 'loading'
  const english = examples.flatMap(({ language, text }, at) => (language === 'en' ? [{ text, at }] : []))
  try {
    const vectors = await host.embedder.embed({
      provider: 'local',
      model: null,
      texts: english.map(({ text }) => text),
      purpose: 'passage',
    })
    state.vectors = new Map(vectors.map((vector, index) => [english[index]?.at ?? -1, vector]))
    state.state = 'ready'
  } catch (cause) {
    state.state = 'unavailable'
    state.loading = null
    host.log.write('warn', 'the examples of the dispatcher could not be embedded', { cause })
    throw cause
  }
}

function similarity({ vectors }: Known, vector: Float32Array, at: number): number {
  const example = vectors.get(at)
  return example ? Math.max(0, cosine(vector, example)) : 0
}

async function voteOn(
  host: Host,
  text: string,
  meaning: (at: number) => number,
  share: number,
): Promise<Candidate[]> {
  const state = known(host)
  state.words ??= WordIndex.of(
    examples.map((example) => fold(example.text)),
    yieldBetween(host.clock),
  )
  const words = (await state.words).similarities(fold(text.slice(0, maxText)))
  return vote(
    examples.map(({ intent }, at) => ({
      intent,
      similarity: (1 - share) * (words[at] ?? 0) + share * meaning(at),
    })),
  )
}

const englishWords = new Set(
  'the a an to of in on is are my me i you please and for with it this that what how can do does your at from'.split(
    ' ',
  ),
)

function isEnglish(text: string): boolean {
  const words = text.toLowerCase().match(/[a-z']+/g) ?? []
  return words.filter((word) => englishWords.has(word)).length * 5 >= words.length && words.length > 1
}
