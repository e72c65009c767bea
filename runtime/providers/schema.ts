import { z } from 'zod'

export const ProviderId = z.enum([
  'anthropic',
  'openai',
  'google',
  'mistral',
  'groq',
  'deepseek',
  'openrouter',
  'ollama',
])
export type ProviderId = z.infer<typeof ProviderId>

export const ProviderModel = z.object({
  id: z.string(),
  context_tokens: z.number().int().nullable(),
  input_usd_per_mtok: z.number().nullable(),
  output_usd_per_mtok: z.number().nullable(),
})
export type ProviderModel = z.infer<typeof ProviderModel>

export const TestResult = z.object({
  ok: z.boolean(),
  latency_ms: z.number().int(),
  model: z.string().nullable(),
  error: z.string().nullable(),
})
export type TestResult = z.infer<typeof TestResult>

export const Provider = z.object({
  id: ProviderId,
  name: z.string(),
  kind: z.enum(['vendor', 'gateway', 'local']),
  configured: z.boolean(),
  /** `…abcd`, never more of the key. */
  key_hint: z.string().nullable(),
  base_url: z.string().nullable(),
  status: z.enum(['ok', 'unconfigured', 'error', 'cooldown']),
  models: z.array(ProviderModel),
  default_model: z.string().nullable(),
  last_test: TestResult.extend({ at: z.string() }).nullable(),
  cooldown_until: z.string().nullable(),
})
export type Provider = z.infer<typeof Provider>

export const ProviderList = z.object({
  providers: z.array(Provider),
  builtin: z.object({ id: z.literal('offline'), name: z.string(), description: z.string() }),
})
export type ProviderList = z.infer<typeof ProviderList>

const baseUrl = z.url({ protocol: /^https?$/ }).max(2_000)

/** Body of `PUT /api/providers/{id}/key`: any of the three; a local server needs no key. */
export const ProviderAccess = z
  .object({
    api_key: z.string().trim().min(1).max(4_096).optional(),
    base_url: baseUrl.nullable().optional(),
    default_model: z.string().min(1).max(200).nullable().optional(),
  })
  .refine(
    (body) => Object.values(body).some((value) => value !== undefined),
    'give api_key, base_url or default_model',
  )
export type ProviderAccess = z.infer<typeof ProviderAccess>

/** A model server found on this machine. */
export const FoundServer = z.object({
  provider: ProviderId,
  name: z.string(),
  base_url: z.string(),
  models: z.array(z.string()),
})
export type FoundServer = z.infer<typeof FoundServer>
