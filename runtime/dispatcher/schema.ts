import { z } from 'zod'
import { reference } from '../references.ts'
import { defineSection } from '../sections/section.ts'

/** Intents that a turn of an agent handles, so that a mistake between them costs nothing. */
export const answered = ['chat', 'question', 'task', 'memory', 'browser'] as const

/** What a sentence can be meant to be. */
export const Intent = z.enum([...answered, 'project', 'loop', 'schedule', 'workflow', 'device', 'settings'])
export type Intent = z.infer<typeof Intent>

export const Source = z.enum(['chat', 'channel', 'webhook', 'device', 'api'])
export const Method = z.enum(['rule', 'embedding', 'llm', 'default', 'override'])
export const Status = z.enum(['routed', 'clarifying', 'failed', 'overridden'])

const confidence = z.number().min(0).max(1)

/** A guess with its confidence. */
export const Candidate = z.object({ intent: Intent, confidence })
export type Candidate = z.infer<typeof Candidate>

export const Decision = z.object({
  id: z.string(),
  /** The beginning of the sentence. */
  input_excerpt: z.string(),
  source: Source,
  intent: Intent,
  /** The conversation or project, or the page to open. Null: nothing was started. */
  target: z.string().nullable(),
  agent_id: z.string().nullable(),
  confidence,
  method: Method,
  reason: z.string(),
  /** Alternative interpretations, most likely first. */
  alternatives: z.array(Candidate),
  status: Status,
  /** Milliseconds the decision took. */
  latency_ms: z.int(),
  /** Tokens used by the model; 0 if none was used. */
  tokens: z.int(),
  created_at: z.string(),
})
export type Decision = z.infer<typeof Decision>

/** Characters. */
const maxSentence = 200_000

export const InjectRequest = z.object({
  text: z
    .string()
    .max(maxSentence)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  source: Source.default('api'),
  conversation_id: reference('conversation', 64).optional(),
  /** The intent that the person chose; nothing is decided then. */
  intent: Intent.optional(),
  /** The decision that asked; it is updated. */
  decision_id: reference('decision', 64).optional(),
  /** Decides only; nothing is stored or started. */
  dry_run: z.boolean().default(false),
})
export type InjectRequest = z.output<typeof InjectRequest>

export const InjectResult = z.object({
  decision: Decision,
  /** The conversation and the answer that was started in it. */
  conversation_id: z.string().nullable(),
  message_id: z.string().nullable(),
  /** The page of the UI to open. */
  page: z.string().nullable(),
  /** What to tell the person; null if the conversation says it. */
  message: z.string().nullable(),
})
export type InjectResult = z.infer<typeof InjectResult>

/** The id of an agent, or a page of the settings. */
const RuleTarget = reference('dispatcher_target').regex(
  /^(?:agent_[a-z0-9]+|\/settings(?:\/[a-z-]+)?)$/,
  'must be the id of an agent or a page such as /settings/keys',
)

export const OverrideRequest = z.object({ intent: Intent, target: RuleTarget.nullable().optional() })
export type OverrideRequest = z.output<typeof OverrideRequest>

export const DecisionFilter = z.object({
  intent: Intent.optional(),
  status: Status.optional(),
  method: Method.optional(),
  source: Source.optional(),
})
export type DecisionFilter = z.output<typeof DecisionFilter>

export const DispatcherHealth = z.object({
  status: z.enum(['healthy', 'degraded']),
  message: z.string().nullable(),
  enabled: z.boolean(),
  examples: z.int(),
  /** `idle` until the first sentence needs them. */
  embeddings: z.enum(['ready', 'loading', 'idle', 'unavailable']),
  /** The provider that is asked when rules and examples are unsure. */
  model: z.string().nullable(),
  /** The caller's decisions of the last 24 hours. */
  decisions_24h: z.object({
    total: z.int(),
    by_method: z.record(z.string(), z.int()),
    by_status: z.record(z.string(), z.int()),
  }),
  latency_ms: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
})
export type DispatcherHealth = z.infer<typeof DispatcherHealth>

/** A rule that a person's correction has made: sentences like this one have this intent, for this person only. */
export const OwnRule = z.object({
  id: z.string(),
  /** The sentence as it is compared: lower case, without accents, each number as `#`. */
  text: z.string(),
  intent: Intent,
  target: RuleTarget.nullable(),
  created_at: z.string(),
})
export type OwnRule = z.output<typeof OwnRule>

/** A shared rule, which applies to everyone. */
export const HouseRule = z.object({
  match: z.enum(['equals', 'begins_with', 'contains']),
  text: z.string().trim().min(1).max(200),
  intent: Intent,
  target: RuleTarget.nullable().default(null),
})
export type HouseRule = z.output<typeof HouseRule>

export const DispatcherSettings = z.object({
  enabled: z.boolean().meta({
    title: 'Sort sentences',
    description: 'Off: every sentence starts a chat',
  }),
  min_confidence: confidence.meta({
    title: 'Minimum confidence',
    description: 'A less certain rule or example leaves the decision to the next step; 0 to 1',
  }),
  clarify_below: confidence.meta({
    title: 'Ask below',
    description: 'A less certain decision is not carried out until you choose; 0 to 1',
  }),
  default_agent_id: reference('agent', 64).nullable().meta({
    title: 'Agent',
    description: 'Answers what is dispatched. Leave blank for the default agent',
    format: 'agent',
  }),
  rules: z
    .array(HouseRule)
    .max(200)
    .meta({ title: 'Rules', description: 'They apply to everyone', format: 'api-only' }),
  allowed_intents: z
    .array(Intent)
    .min(1)
    .max(Intent.options.length)
    .meta({ title: 'Allowed intents', description: 'Everything else is a chat' }),
})
export type DispatcherSettings = z.output<typeof DispatcherSettings>

export const dispatcherSettings = defineSection({
  name: 'dispatcher',
  title: 'the settings of the dispatcher',
  access: 'admin',
  schema: DispatcherSettings,
  defaults: (): DispatcherSettings => ({
    enabled: true,
    min_confidence: 0.6,
    clarify_below: 0.35,
    default_agent_id: null,
    rules: [],
    allowed_intents: [...Intent.options],
  }),
})
