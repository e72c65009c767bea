export type TextPart = { type: 'text'; text: string }
/**
 * Data that a vendor expects back with a part that it generated, such as a signature; by vendor, and never
 * interpreted here.
 */
export type VendorData = Record<string, Record<string, unknown>>
export type ReasoningPart = { type: 'reasoning'; text: string; vendor_data?: VendorData | undefined }
/** An untrusted file. If `omitted` is set, it gives the reason why the content is not sent. */
export type FilePart = {
  type: 'file'
  mime_type: string
  data: Uint8Array
  name?: string
  size_bytes?: number
  omitted?: string
}
export type ToolCallPart = {
  type: 'tool_call'
  id: string
  name: string
  input: unknown
  vendor_data?: VendorData | undefined
}
export type ToolResultPart = {
  type: 'tool_result'
  id: string
  name: string
  output: unknown
  is_error: boolean
}

export type ModelMessage =
  /** `notes` are the daemon's own, such as the time. They follow the content and stay as they are: vendors cache the prompt; `memories` characters of them are memories. */
  | { role: 'user'; content: (TextPart | FilePart)[]; notes?: string; memories?: number }
  | { role: 'assistant'; content: (TextPart | ReasoningPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] }

/** A tool as the model sees it. `input_schema` is JSON Schema (draft 2020-12) of an object. */
export interface ToolSpec {
  name: string
  description: string
  input_schema: Record<string, unknown>
}

/**
 * How a server takes arguments that it does not take as they are usually sent: by their usual name, the name that it
 * expects, or the empty text for an argument that is left out.
 */
export type ArgumentNames = Readonly<Record<string, string>>

export interface ModelCall {
  /** Provider id, for example `anthropic`; `offline` is the built-in one. */
  provider: string
  model: string
  /** Absent for providers without keys, such as a local server. */
  api_key?: string
  base_url?: string
  /** The instructions, the same for all steps of a conversation: the start of the prompt can be cached. */
  system: string
  messages: ModelMessage[]
  /** Calls with the same key share the start of their prompts. Without one, nothing is cached on purpose. */
  cache_key?: string
  /** The size of the model's context in tokens, for servers that must be told. */
  context_tokens?: number
  /** The person's IANA zone, for the built-in model. */
  timezone?: string
  /** The person's language tag if they have chosen one, for the built-in model. */
  language?: string
  tools: ToolSpec[]
  temperature?: number
  max_output_tokens?: number
  /** What the server has said about its arguments when it refused earlier calls. */
  arguments?: ArgumentNames
  /** The longest wait for the first chunk of the answer; default 60. Local servers get more. */
  first_token_seconds?: number
  /** Receives the body of the request that leaves the daemon; it has no key in it. */
  sent?(body: string): void
  signal: AbortSignal
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

export interface TokenCounts {
  /** With the cached ones. */
  input_tokens: number
  output_tokens: number
  /** Input that the vendor read from its cache. */
  cached_tokens?: number
  /** Input that the vendor wrote to its cache. */
  cache_write_tokens?: number
}

/** A streamed answer. Exactly one `finish` ends it, unless the call throws a `ModelError`. */
export type ModelEvent =
  | { type: 'text'; text: string }
  /** With `vendor_data` it ends one piece of reasoning. */
  | ReasoningPart
  /** `invalid` is the raw text if the model's arguments are not valid JSON; `input` is then `{}`. */
  | (ToolCallPart & { invalid?: string })
  | ({ type: 'finish'; reason: FinishReason; estimated?: boolean } & TokenCounts)
  /** The vendor's rate-limit headers, unchanged, with lower-case names. */
  | { type: 'limits'; headers: Record<string, string> }

export type ModelErrorCode =
  | 'rate_limit'
  | 'overloaded'
  | 'auth'
  | 'billing'
  | 'model_not_found'
  | 'context_overflow'
  | 'content_filter'
  | 'timeout'
  | 'cancelled'
  | 'interrupted'
  | 'budget_exceeded'
  | 'provider_unavailable'
  | 'invalid_request'
  | 'internal_error'

/**
 * Why a model call failed. `invalid_request` is a request that the server does not accept as it is. `interrupted` is a stream that broke after it had started; `budget_exceeded` is
 * raised locally, before anything is sent. The message contains no secrets.
 */
export class ModelError extends Error {
  override name = 'ModelError'
  readonly code: ModelErrorCode
  /** Seconds that the vendor asked us to wait, if given. */
  readonly retry_after_seconds: number | undefined
  /**
   * The same call may succeed in a few seconds: an overloaded or failing server, or a connection that broke.
   */
  readonly transient: boolean
  /** The model's context in tokens, if a `context_overflow` named it. */
  readonly context_tokens: number | undefined
  /** The input that the model does not accept; the same call without it may succeed. */
  readonly refuses: 'tools' | 'files' | undefined
  /** The same call may succeed with these names. */
  readonly arguments: { names: ArgumentNames; of_model: boolean } | undefined
  /** The message is the plain text of a response, which any server may have sent. */
  readonly raw: boolean

  constructor(
    code: ModelErrorCode,
    message: string,
    facts: Partial<
      Pick<ModelError, 'retry_after_seconds' | 'transient' | 'context_tokens' | 'refuses' | 'arguments' | 'raw'>
    > = {},
  ) {
    super(message)
    this.code = code
    this.retry_after_seconds = facts.retry_after_seconds
    this.transient = facts.transient ?? false
    this.context_tokens = facts.context_tokens
    this.refuses = facts.refuses
    this.arguments = facts.arguments
    this.raw = facts.raw ?? false
  }
}

/** Speech to be written down. */
export interface Recording {
  provider: string
  model: string
  api_key?: string
  base_url?: string
  name: string
  mime_type: string
  bytes: Uint8Array
  signal: AbortSignal
}

/** What was said in a recording; `seconds` is null if the server does not say how long it is. */
export interface Transcript {
  text: string
  seconds: number | null
}

/** Language models behind one interface. It never retries: that is the caller's policy. */
export interface Models {
  stream(call: ModelCall): AsyncIterable<ModelEvent>
  /** The models that the vendor offers now. Throws `ModelError`. */
  list(access: { provider: string; api_key?: string; base_url?: string; signal: AbortSignal }): Promise<ModelFacts[]>
  /** Writes down what is said. Absent on a host without vendors. Throws `ModelError`. */
  transcribe?(recording: Recording): Promise<Transcript>
}

/** A model of a vendor's list, with what the list says about it. Prices are in USD per million tokens. */
export interface ModelFacts {
  id: string
  context_tokens?: number
  input_usd_per_mtok?: number
  output_usd_per_mtok?: number
  cached_usd_per_mtok?: number
}
