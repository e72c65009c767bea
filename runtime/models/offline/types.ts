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
  /**
   * The reply if the call fails, which ends the script; null if the script continues. Default: why it failed.
   */
  failure?: (outcome: Outcome) => string | null
}

export type Step = { say: string } | Call

/**
 * What an intent does, as a generator that is replayed at every model call of a turn: a yielded call whose
 * result is already in the conversation continues at once, and the first one without a result is the model's
 * next call. It returns what "it" means afterwards.
 */
export type Script = AsyncGenerator<Step, Material | undefined, Outcome>

/** Everything an intent may use. Results of tools are not in it: they reach an intent only as data. */
export interface Scene {
  now: number
  timezone: string
  tools: ReadonlyMap<string, ToolSpec>
  intents: readonly Intent[]
  similarity: Similarity
  /** Text files and untrusted text that came with the latest message. */
  attachments: readonly Material[]
  /** Names of attachments that are not text. */
  unreadable: readonly string[]
  /** What "it" means, from an earlier clause or an earlier turn. */
  material: Material | undefined
}

/**
 * How alike a text is to each candidate, 0 to 1. Rules come first; this decides only what no rule knows. An
 * embedder fits here too: cosine similarities of the text's vector and the candidates'.
 */
export type Similarity = (text: string, candidates: readonly string[]) => number[] | Promise<number[]>

export type Slots = Record<string, string>

/** One form of words. The named groups of `form` become slots, next to the fixed ones. */
export interface Rule {
  form: RegExp
  /** 0 to 1. From 0.5 a clause may stand on its own; below, it is a last resort. */
  score: number
  slots?: Slots
  /** The message is never split into clauses when this matches it. */
  whole?: RegExp
}

export interface IntentMatch {
  score: number
  slots: Slots
  whole?: boolean
}

export interface Intent {
  /** Its name in help; without one it is not listed. */
  title?: string
  /** Tools it works with; one of them is enough. Empty when it needs none. */
  tools: readonly string[]
  /** What a person can type: listed by help, compared with the request when no rule matches. */
  examples: readonly string[]
  /** It takes content of any length. The others are not even tried on a long request. */
  content?: boolean
  /** Small talk: a separate clause only if it is a separate sentence. */
  alone?: boolean
  rules: readonly Rule[]
  /** Rejects the match that the rules found. */
  accepts?(slots: Slots, scene: Scene): boolean
  /** Corrects or rejects (null) what the rules found; gets `undefined` if none matched. */
  refine?(match: IntentMatch | undefined, text: string, scene: Scene): IntentMatch | null
  /** Runs only when one of the tools is available. A slot `ask` is asked instead. */
  run(slots: Slots, scene: Scene): Script
}

export const say = (text: string): Step => ({ say: text })
export const call = (name: string, input: Call['input'], failure?: Call['failure']): Call =>
  failure ? { call: name, input, failure } : { call: name, input }
/** For calls whose failure the script handles. */
export const handled = (): null => null

/** A pattern for a whole request, case ignored. A plain parenthesis captures nothing. */
export const form = (source: string, flags = 'isu'): RegExp =>
  new RegExp(
    `^(?:${source.replace(/\\.|\[(?:\\.|[^\]\\]){0,40}\]|\((?!\?)/g, (part) => (part === '(' ? '(?:' : part))})$`,
    flags,
  )

/**
 * Rules as text. A line "@ 0.9; slot: value; whole: pattern" has what the forms below it share: a score,
 * fixed slots and `whole`. Every other line is a form.
 */
export function grammar(strings: TemplateStringsArray, ...values: string[]): Rule[] {
  const lines = String.raw(strings, ...values).split('\n')
  const rules: Rule[] = []
  let shared: Omit<Rule, 'form'> = { score: 0.9 }
  for (const line of lines.map((text) => text.trim()).filter((text) => /^(?!\/\/)./.test(text)))
    if (line.startsWith('@ ')) shared = sharedOf(line.slice(2))
    else rules.push({ form: form(line), ...shared })
  return rules
}

function sharedOf(line: string): Omit<Rule, 'form'> {
  const [score, ...fields] = line.split('; ')
  const { whole, ...slots } = Object.fromEntries(
    fields.map((field) => [field.slice(0, field.indexOf(': ')), field.slice(field.indexOf(': ') + 2)]),
  )
  return { score: Number(score), slots, ...(whole !== undefined && { whole: new RegExp(whole, 'iu') }) }
}

export async function* speak(text: string): AsyncGenerator<Step, undefined, Outcome> {
  yield say(text)
}
