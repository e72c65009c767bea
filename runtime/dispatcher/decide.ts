import type { Context } from '../context.ts'
import { sumOf } from '../numbers.ts'
import type { Agent } from '../tools/agent.ts'
import { isEnglish } from './english.ts'
import { askModel } from './model.ts'
import { likeness } from './nearest.ts'
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

interface DecideRequest {
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
const near = 0.65
/** Alternatives that are kept. */
const maxAlternatives = 3

/**
 * Decides what a sentence was meant to be: a person's rules, then built-in rules and examples if it is English, then a
 * model, then a chat.
 */
export async function decide(context: Context, request: DecideRequest): Promise<Choice> {
  const { text, settings } = request
  if (!settings.enabled) return byDefault('The dispatcher is off')
  const allowed = new Set(settings.allowed_intents)
  const corrected = await byPerson(context, text, settings)
  if (corrected && allowed.has(corrected.intent)) return corrected

  const english = isEnglish(text)
  const words = english ? byWords(text) : []
  const rule = english ? matchRules(text) : null
  if (rule && allowed.has(rule.intent) && rule.confidence >= settings.min_confidence)
    return choice({ ...rule, method: 'rule', alternatives: words })

  const guessFrom = (candidates: readonly Candidate[]) =>
    settle(candidates.filter(({ intent }) => allowed.has(intent)))
  const isSure = (guess: Guess | null) => guess !== null && guess.certainty >= settings.min_confidence
  let guess = guessFrom(words)
  if (english && !request.quick && !isSure(guess))
    guess = guessFrom((await byMeaning(context, text)) ?? []) ?? guess
  const fallback =
    guess?.choice ?? byDefault(english ? 'It is similar to no example' : 'It is not in English')
  if (isSure(guess) || request.quick) return fallback

  const { guess: answer, tokens } = await askModel(context, request)
  if (!answer || !allowed.has(answer.intent)) return { ...fallback, tokens }
  const reason = answer.reason || 'A model decided'
  return choice({ ...answer, method: 'llm', reason, alternatives: words, tokens })
}

const byDefault = (reason: string): Choice =>
  choice({ intent: 'chat', method: 'default', confidence: 0.5, reason })

/** A choice with its alternatives ordered and cut. */
export function choice({
  intent,
  confidence = 1,
  alternatives = [],
  ...rest
}: Pick<Choice, 'intent' | 'method' | 'reason'> & Partial<Choice>): Choice {
  return {
    tokens: 0,
    rule_target: null,
    by_person: false,
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
  const same = answered.has(best.intent) ? candidates.filter(({ intent }) => answered.has(intent)) : [best]
  const guess = choice({
    intent: best.intent,
    confidence: best.confidence,
    method: 'embedding',
    reason: answered.has(best.intent)
      ? 'It is similar to sentences that an agent answers'
      : 'It is similar to examples of this intent',
    alternatives: [...candidates],
  })
  return { choice: guess, certainty: sumOf(same, ({ confidence }) => confidence) }
}

/** The sentence as corrections are stored and compared: folded, with every number alike. */
export const ruleText = (text: string): string => fold(text.slice(0, 500)).replace(/\d{1,20}/g, '#')

/** What a person has decided before: their own correction, a rule of the house, or a correction of a near sentence. */
async function byPerson(
  context: Context,
  text: string,
  { rules }: DispatcherSettings,
): Promise<Choice | null> {
  const sentence = ruleText(text)
  const own = await ownRules(context)
  const same = own.find((rule) => rule.text === sentence)
  if (same) return ruled(same, 'You corrected this sentence before')
  const folded = fold(text)
  const house = rules.find((rule) => appliesTo(rule, folded))
  if (house) return { ...ruled(house, `A rule of the settings: ${house.text}`), method: 'rule' }
  const similar = mostSimilar(own, sentence)
  return similar
    ? ruled(similar, `You corrected a similar sentence before: ${similar.text.slice(0, 80)}`)
    : null
}

/** The correction of the sentence most like this one, if it is near. */
function mostSimilar(own: readonly OwnRule[], sentence: string): OwnRule | null {
  const [best] = own
    .map((rule) => ({ rule, similarity: likeness(rule.text, sentence) }))
    .sort((left, right) => right.similarity - left.similarity)
  return best && best.similarity >= near ? best.rule : null
}

const ruled = ({ intent, target }: { intent: Intent; target: string | null }, reason: string): Choice =>
  choice({ intent, method: 'override', reason, rule_target: target, by_person: true })

function appliesTo({ match, text }: HouseRule, sentence: string): boolean {
  const words = fold(text)
  if (match === 'equals') return sentence === words
  return match === 'begins_with' ? sentence.startsWith(words) : sentence.includes(words)
}
