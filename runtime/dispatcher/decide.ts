import type { Context } from '../context.ts'
import { sumOf } from '../numbers.ts'
import { connectedModel } from '../providers/index.ts'
import type { Agent } from '../tools/agent.ts'
import { askModel } from './model.ts'
import { fold, isEnglish, matchRules } from './rules.ts'
import {
  answered,
  type Candidate,
  type Decision,
  type DispatcherSettings,
  type HouseRule,
  type Intent,
  type OwnRule,
} from './schema.ts'
import { byMeaning, byWords, likeness } from './similar.ts'
import { ownRules } from './store.ts'

/** What was decided, before anything is started. `rule_target` is the agent or page that a rule names. */
export interface Choice
  extends Pick<Decision, 'intent' | 'confidence' | 'method' | 'reason' | 'alternatives' | 'tokens'> {
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

/** Confidence of a rule or example from which on a model, where there is one, is not asked. */
const certain = 0.9
/** Similarity of two sentences at which a correction of one applies to the other. */
const near = 0.65
/** Alternatives that are kept. */
const maxAlternatives = 3

/**
 * Decides what a sentence was meant to be: a person's rules, then built-in rules and examples if it is English, then a
 * model, then a chat. Where there is a model, rules and examples decide only what is certain.
 */
export async function decide(context: Context, request: DecideRequest): Promise<Choice> {
  const { text, settings, quick } = request
  if (!settings.enabled) return byDefault('The dispatcher is off')
  const isAllowed = ({ intent }: { intent: Intent }) => settings.allowed_intents.includes(intent)
  const corrected = await byPerson(context, text, settings)
  if (corrected && isAllowed(corrected)) return corrected

  const english = isEnglish(text)
  const words = english ? byWords(text) : []
  const rule = english ? matchRules(text) : null
  const access = quick ? null : await connectedModel(context, request.agent)
  const { min_confidence } = settings
  const enough = access ? Math.max(certain, min_confidence) : min_confidence
  const byRule =
    rule && isAllowed(rule) && rule.confidence >= min_confidence
      ? choice({ ...rule, method: 'rule', alternatives: words })
      : null
  if (byRule && byRule.confidence >= enough) return byRule

  // Examples alone never open a page of the settings, so a model has to confirm it.
  const isSure = (guess: Guess | null) =>
    guess !== null && guess.certainty >= enough && !(access && guess.choice.intent === 'settings')
  let guess = settle(words.filter(isAllowed))
  if (english && !quick && !byRule && !isSure(guess))
    guess = settle(((await byMeaning(context, text)) ?? []).filter(isAllowed)) ?? guess
  const unlike = english ? 'It is similar to no example' : 'It is not in English'
  const fallback = byRule ?? guess?.choice ?? byDefault(unlike)
  if (!access || (!byRule && isSure(guess))) return fallback

  const { guess: answer, tokens } = await askModel(context, access, request)
  if (!answer || !isAllowed(answer)) return { ...fallback, tokens }
  const reason = answer.reason || 'A model decided'
  return choice({ ...answer, method: 'llm', reason, alternatives: words, tokens })
}

const byDefault = (reason: string): Choice => choice({ intent: 'chat', method: 'default', confidence: 0.5, reason })

/** A choice with its alternatives cut; without a confidence it is certain. */
export function choice(made: Pick<Choice, 'intent' | 'method' | 'reason'> & Partial<Choice>): Choice {
  const others = (made.alternatives ?? []).filter(({ intent }) => intent !== made.intent)
  return {
    tokens: 0,
    rule_target: null,
    by_person: false,
    ...made,
    confidence: rounded(made.confidence ?? 1),
    alternatives: others
      .slice(0, maxAlternatives)
      .map(({ intent, confidence }) => ({ intent, confidence: rounded(confidence) })),
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
  const isAnswered = ({ intent }: Candidate) => (answered as readonly Intent[]).includes(intent)
  const reason = isAnswered(best)
    ? 'It is similar to sentences that an agent answers'
    : 'It is similar to examples of this intent'
  return {
    choice: choice({ ...best, method: 'embedding', reason, alternatives: [...candidates] }),
    certainty: isAnswered(best) ? sumOf(candidates.filter(isAnswered), confidenceOf) : best.confidence,
  }
}

const confidenceOf = ({ confidence }: Candidate) => confidence

/** The sentence as corrections are stored and compared: folded, with every number alike. */
export const ruleText = (text: string): string => fold(text.slice(0, 500)).replace(/\d{1,20}/g, '#')

/** An earlier decision of a person: their own correction, a shared rule, or a correction of a similar sentence. */
async function byPerson(context: Context, text: string, { rules }: DispatcherSettings): Promise<Choice | null> {
  const sentence = ruleText(text)
  const own = await ownRules(context)
  const same = own.find((rule) => rule.text === sentence)
  if (same) return ruled(same, 'You corrected this sentence before')
  const folded = fold(text)
  const shared = rules.find((rule) => appliesTo(rule, folded))
  if (shared) return { ...ruled(shared, `A rule of the settings: ${shared.text}`), method: 'rule' }
  const [similar] = own
    .map((rule) => ({ rule, similarity: likeness(rule.text, sentence) }))
    .sort((left, right) => right.similarity - left.similarity)
  if (!similar || similar.similarity < near) return null
  return ruled(similar.rule, `You corrected a similar sentence before: ${similar.rule.text.slice(0, 80)}`)
}

const ruled = ({ intent, target }: Pick<OwnRule, 'intent' | 'target'>, reason: string): Choice =>
  choice({ intent, method: 'override', reason, rule_target: target, by_person: true })

function appliesTo({ match, text }: HouseRule, sentence: string): boolean {
  const words = fold(text)
  if (match === 'equals') return sentence === words
  return match === 'begins_with' ? sentence.startsWith(words) : sentence.includes(words)
}
