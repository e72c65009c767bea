import type { ToolSpec } from '../../ports/models.ts'
import type { Similarity } from './similarity.ts'

/** Text that a later clause or message may call "it": a page, a file, an answer. */
export interface Material {
  title: string
  text: string
  url?: string
}

/** A tool call of this turn and what came back. `failed` covers errors and refused approvals. */
export interface Outcome {
  id: string
  name: string
  input: Record<string, unknown>
  output: unknown
  failed: boolean
}

export type Step = { say: string } | { call: string; input: Record<string, unknown> }

/**
 * What an intent does, as a generator that is replayed at every model call of a turn: a yielded call whose result
 * is already in the conversation continues at once, the first other one is what the model asks for.
 * It returns what "it" means afterwards.
 */
export type Script = AsyncGenerator<Step, Material | undefined, Outcome>

/** All that an intent may look at. Results of tools are not in it: they reach an intent only as data. */
export interface Scene {
  now: number
  timezone: string
  tools: ReadonlyMap<string, ToolSpec>
  intents: readonly Intent[]
  similarity: Similarity
  /** Text files attached to the latest message. */
  attachments: readonly Material[]
  /** Names of attachments that are no text. */
  unreadable: readonly string[]
  /** What "it" means, from an earlier clause or an earlier turn. */
  material: Material | undefined
}

export interface IntentMatch {
  /** 0 to 1. From 0.5 a clause may stand on its own; below, it is a last resort. */
  score: number
  slots: Record<string, string>
  /** It takes the whole message: never split into clauses. */
  whole?: boolean
}

export interface Intent {
  name: string
  /** What help calls it. Absent: help does not list it. */
  title?: string
  /** Tools it works with; one of them is enough. Empty when it needs none. */
  tools: readonly string[]
  /** What a person can type: shown by help, compared with the request when no rule matches. */
  examples: readonly string[]
  /** It takes content of any length. The others are not even tried on a long request. */
  content?: boolean
  /** Small talk: a clause of its own only as a sentence of its own. */
  alone?: boolean
  match(text: string, scene: Scene): IntentMatch | null
  run(match: IntentMatch, scene: Scene): Script
}

export function say(text: string): Step {
  return { say: text }
}

export function call(name: string, input: Record<string, unknown>): Step {
  return { call: name, input }
}

export function matched(score: number, slots: Record<string, string> = {}): IntentMatch {
  return { score, slots }
}

/** Matches the first of the patterns; named groups become slots. */
export function matchAny(text: string, score: number, patterns: readonly RegExp[]): IntentMatch | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found) return matched(score, definedGroups(found))
  }
  return null
}

function definedGroups(found: RegExpExecArray): Record<string, string> {
  const slots: Record<string, string> = {}
  for (const [name, value] of Object.entries(found.groups ?? {})) if (value) slots[name] = value.trim()
  return slots
}
