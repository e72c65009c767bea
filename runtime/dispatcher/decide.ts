import { LRUCache } from 'lru-cache'
import type { Agent } from '../agents/schema.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { yieldBetween } from '../memory/pace.ts'
import { processState } from '../process-state.ts'
import { askModel } from './model.ts'
import { WordIndex } from './nearest.ts'
import { fold, matchRules } from './rules.ts'
import type { Candidate, Decision, DispatcherSettings, HouseRule, Intent, OwnRule } from './schema.ts'
import { byMeaning, byWords } from './similar.ts'
import { ownRules } from './store.ts'

/** What was decided, before anything is started. `rule_target` is the agent or page that a rule names. */
export interface Choice
  extends Pick<Decision, 'intent' | 'confidence' | 'method' | 'reason' | 'alternatives'> {
  tokens: number
  rule_target: string | null
  /** A person has decided it, now or with a rule. */
  by_person: boolean
}

interface Asked {
  text: string
  settings: DispatcherSettings
  agent: Agent
  /** For the budgets of one run. */
  run_ref: string
  /** Only rules and words: neither the embedder nor a model is asked. */
  quick?: boolean
}

/** Intents that a turn of an agent handles, so that a mistake between them costs nothing. */
export const answered: ReadonlySet<Intent> = new Set(['chat', 'question', 'task', 'memory', 'browser'])

/** Similarity of two sentences at which a correction of one applies to the other. */
const near = 0.6
/** Alternatives that are kept. */
const maxAlternatives = 3

/** Decides what a sentence was meant to be: rules, then examples, then a model, then a chat. */
export async function decide(context: Context, asked: Asked): Promise<Choice> {
  const { text, settings } = asked
  if (!settings.enabled) return choice({ intent: 'chat', method: 'default', reason: 'The dispatcher is off' })
  const allowed = new Set(settings.allowed_intents)
  const corrected = await byPerson(context, text, settings)
  if (corrected && allowed.has(corrected.intent)) return corrected

  const words = await byWords(context, text)
  const rule = matchRules(text)
  if (rule && allowed.has(rule.intent) && rule.confidence >= settings.min_confidence)
    return choice({ ...rule, method: 'rule', alternatives: words })

  const guess = (candidates: readonly Candidate[]) =>
    settle(candidates.filter(({ intent }) => allowed.has(intent)))
  const first = guess(words)
  if (first && first.certainty >= settings.min_confidence) return first.choice
  if (asked.quick) return first?.choice ?? unknown(0)
  const meaning = await byMeaning(context, text)
  const second = (meaning && guess(meaning)) ?? first
  if (second && second.certainty >= settings.min_confidence) return second.choice

  const { guess: said, tokens } = await askModel(context, asked)
  if (said && allowed.has(said.intent))
    return choice({
      ...said,
      method: 'llm',
      reason: said.reason || 'A model decided',
      alternatives: words,
      tokens,
    })
  if (second) return { ...second.choice, tokens }
  return unknown(tokens)
}

const unknown = (tokens: number): Choice =>
  choice({
    intent: 'chat',
    method: 'default',
    confidence: 0.5,
    reason: 'It is similar to nothing known',
    tokens,
  })

/** A choice with its alternatives ordered and cut. */
export function choice({
  intent,
  confidence = 1,
  alternatives = [],
  ...rest
}: Pick<Choice, 'intent' | 'method' | 'reason'> & Partial<Choice>): Choice {
  return {
    ...{ tokens: 0, rule_target: null, by_person: false },
    ...rest,
    intent,
    confidence: rounded(confidence),
    alternatives: alternatives
      .filter((other) => other.intent !== intent)
      .slice(0, maxAlternatives)
      .map((other) => ({ ...other, confidence: rounded(other.confidence) })),
  }
}

const rounded = (confidence: number) => Math.round(confidence * 1_000) / 1_000

interface Guess {
  choice: Choice
  /** How certain it is what will be started. Intents that an agent answers share it, because they start the same. */
  certainty: number
}

/** The best candidate, with the confidence of its own intent. */
function settle(candidates: readonly Candidate[]): Guess | null {
  const [best] = candidates
  if (!best) return null
  const others = candidates.filter(({ intent }) => !answered.has(intent))
  const shared = answered.has(best.intent) ? 1 - others.reduce((sum, other) => sum + other.confidence, 0) : 0
  const guess = choice({
    intent: best.intent,
    confidence: best.confidence,
    method: 'embedding',
    reason: answered.has(best.intent)
      ? 'It is similar to sentences that an agent answers'
      : 'It is similar to examples of this intent',
    alternatives: [...candidates],
  })
  return { choice: guess, certainty: Math.max(best.confidence, shared) }
}

/** The sentence as corrections are stored and compared: folded, with every number alike. */
export const ruleText = (text: string): string => fold(text.slice(0, 500)).replace(/\d{1,20}/g, '#')

/** What a person has decided before: their own correction, a rule of the house, or a correction of a near sentence. */
async function byPerson(
  context: Context,
  text: string,
  { rules }: DispatcherSettings,
): Promise<Choice | null> {
  const said = ruleText(text)
  const own = await ownRules(context)
  const same = own.find((rule) => rule.text === said)
  if (same) return ruled(same, 'You corrected this sentence before')
  const folded = fold(text)
  const house = rules.find((rule) => appliesTo(rule, folded))
  if (house) return { ...ruled(house, `A rule of the settings: ${house.text}`), method: 'rule' }
  const similar = await mostSimilar(context, own, said)
  return similar
    ? ruled(similar, `You corrected a similar sentence before: ${similar.text.slice(0, 80)}`)
    : null
}

/** The corrections of each owner as they were last compared; `newest` changes whenever one is added. */
const corrections = processState(
  () => new LRUCache<string, { newest: string; index: Promise<WordIndex> }>({ max: 50 }),
)

async function mostSimilar(context: Context, own: readonly OwnRule[], said: string): Promise<OwnRule | null> {
  const newest = own[0]?.id
  if (newest === undefined) return null
  const cache = corrections(context)
  const owner = ownerOf(context)
  let known = cache.get(owner)
  if (known?.newest !== newest) {
    const texts = own.map(({ text }) => text)
    known = { newest, index: WordIndex.of(texts, yieldBetween(context.clock)) }
    cache.set(owner, known)
  }
  const similarities = (await known.index).similarities(said)
  const best = Math.max(...similarities)
  return best >= near ? (own[similarities.indexOf(best)] ?? null) : null
}

const ruled = ({ intent, target }: { intent: Intent; target: string | null }, reason: string): Choice =>
  choice({ intent, method: 'override', reason, rule_target: target, by_person: true })

function appliesTo({ match, text }: HouseRule, sentence: string): boolean {
  const wanted = fold(text)
  if (match === 'equals') return sentence === wanted
  return match === 'begins_with' ? sentence.startsWith(wanted) : sentence.includes(wanted)
}
