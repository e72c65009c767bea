import type { ToolSpec } from '../../ports/models.ts'

/** Text that a later clause or message may call "it": a page, a file, an answer. */
export interface Material {
  title: string
  text: string
  url?: string
}

/** A tool call of this turn with its result. `failed` covers errors and refused approvals. */
export interface Outcome {
  id: string
  name: string
  input: Record<string, unknown>
  output: unknown
  failed: boolean
}

export interface Call {
  call: string
  input: Record<string, unknown>
  /** The script continues after a failure of this call; otherwise the reason is the reply. */
  handled?: boolean
}

export type Step = { say: string } | Call

/** What an intent does, replayed at every model call of a turn. It returns what "it" means afterwards. */
export type Script = AsyncGenerator<Step, Material | undefined, Outcome>

/** Everything an intent may use. Results of tools are not in it: they reach an intent only as data. */
export interface Scene {
  now: number
  timezone: string
  /** A BCP 47 tag, if the person has chosen a language. */
  language: string | undefined
  tools: ReadonlyMap<string, ToolSpec>
  intents: readonly Intent[]
  /** Text files and untrusted text that came with the latest message. */
  attachments: readonly Material[]
  /** Names of attachments that are not text. */
  unreadable: readonly string[]
  /** What "it" means, from an earlier clause or an earlier turn. */
  material: Material | undefined
}

export type Slots = Record<string, string>

/** What an intent does with a request. Its words are in `grammar.json`. */
export interface Behaviour {
  /** Rejects the match that the rules found. */
  accepts?(slots: Slots, scene: Scene): boolean
  /** Recognizes a request that no form describes. */
  reads?(text: string): IntentMatch | null
  /** Runs only when one of the tools is available. */
  run(slots: Slots, scene: Scene): Script
}

export interface IntentMatch {
  /** 0 to 1. From 0.5 a clause may stand on its own; below, it is a last resort. */
  score: number
  slots: Slots
  /** The message is never split into clauses. */
  whole?: boolean
}

export interface Rule {
  score: number
  slots: Slots
  forms: RegExp[]
  /** Requests that the forms must not match. */
  not?: RegExp | undefined
  whole?: RegExp | undefined
}

export interface Intent extends Behaviour {
  name: string
  /** Its name in help; without one it is not listed. */
  title?: string
  /** Tools it works with; one of them is enough. Empty when it needs none. */
  tools: readonly string[]
  /** What a person can type: listed by help. */
  examples: readonly string[]
  /** It takes content of any length. The others are not even tried on a long request. */
  content?: boolean
  /** Small talk: a separate clause only if it is a separate sentence. */
  alone?: boolean
  rules: readonly Rule[]
}

export const say = (text: string): Step => ({ say: text })
export const call = (name: string, input: Call['input']): Call => ({ call: name, input })
/** For calls whose failure the script handles. */
export const tryCall = (name: string, input: Call['input']): Call => ({ call: name, input, handled: true })

export async function* speak(text: string): AsyncGenerator<Step, undefined, Outcome> {
  yield say(text)
}
