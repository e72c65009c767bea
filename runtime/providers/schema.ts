import { z } from 'zod'
import { ProviderId } from '../models/vendors/index.ts'
import { ProviderModel } from '../models/vendors/model.ts'

export const TestResult = z.object({
  ok: z.boolean(),
  latency_ms: z.int(),
  model: z.string().nullable(),
  error: z.string().nullable(),
})
export type TestResult = z.infer<typeof TestResult>

const AdjustedArgument = z.object({
  argument: z.string(),
  sent_as: z.string().nullable().meta({ description: 'Its name at this server; null: it is left out' }),
  model: z.string().nullable().meta({ description: 'Null: all models of the server' }),
})

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
  adjusted_arguments: z
    .array(AdjustedArgument)
    .meta({ description: 'Arguments that the server has refused, until the access is saved again' }),
  last_test: TestResult.extend({ at: z.string() }).nullable(),
  cooldown_until: z.string().nullable(),
})
export type Provider = z.infer<typeof Provider>

export const ProviderList = z.object({
  prices_as_of: z.string().meta({ description: 'The date of the built-in list prices' }),
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
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'give api_key, base_url or default_model')
export type ProviderAccess = z.infer<typeof ProviderAccess>

/** A local server requires neither key nor address. */
export const SetupProvider = z.object({
  provider: ProviderId,
  api_key: ProviderAccess.shape.api_key,
  base_url: ProviderAccess.shape.base_url,
  model: ProviderAccess.shape.default_model,
})

/** A model server found on this machine. */
export const FoundServer = z.object({
  provider: ProviderId,
  name: z.string(),
  base_url: z.string(),
  models: z.array(z.string()),
})
export type FoundServer = z.infer<typeof FoundServer>

/** A model by the provider that serves it. */
export const ModelName = z.object({ provider: ProviderId, model: z.string().trim().min(1).max(200) })
export type ModelName = z.output<typeof ModelName>

const Percent = z.number().gt(0).max(100)

export const BackupRules = z.partialRecord(ProviderId, ModelName)

const members = {
  five_hour_threshold_pct: Percent.meta({ title: 'Switch at (5 hours)', unit: '%' }),
  seven_day_threshold_pct: Percent.meta({ title: 'Switch at (7 days)', unit: '%' }),
  return_below_pct: z.number().min(0).max(100).meta({
    title: 'Return below',
    description: 'Below both thresholds',
    unit: '%',
  }),
  auto_return: z.boolean().meta({
    title: 'Return automatically',
    description: 'As soon as usage of the first provider drops',
  }),
  both_out: z.enum(['pause', 'keep_going']).meta({
    title: 'If the backup reaches its limit too',
    labels: { pause: 'Wait until one is available', keep_going: 'Continue with the first provider' },
  }),
}

export const BackupSettings = z.object({ rules: BackupRules, ...members }).superRefine((settings, context) => {
  const lowest = Math.min(settings.five_hour_threshold_pct, settings.seven_day_threshold_pct)
  if (settings.return_below_pct >= lowest)
    context.addIssue({
      code: 'custom',
      path: ['return_below_pct'],
      message: 'must be below both thresholds',
    })
  for (const [provider, backup] of Object.entries(settings.rules))
    if (backup.provider === provider)
      context.addIssue({ code: 'custom', path: ['rules', provider], message: 'cannot be its own backup' })
})
/** Indexed by any provider name, including the offline model's. */
export type BackupSettings = Omit<z.output<typeof BackupSettings>, 'rules'> & {
  rules: Partial<Record<string, ModelName>>
}

/** Any subset; `rules` is merged by provider, and null removes the backup of one. */
export const BackupChange = z
  .strictObject({ rules: z.partialRecord(ProviderId, ModelName.nullable()), ...members })
  .partial()
export type BackupChange = z.output<typeof BackupChange>

export const BackupView = z.object({ ...BackupSettings.shape, defaults: BackupSettings })

export const Heat = z.enum(['cool', 'near', 'out'])
export type Heat = z.output<typeof Heat>

/** The source of a figure: the vendor's headers, our ledger and the allowance, or none. */
export const UsageSource = z.enum(['header', 'estimated', 'unknown'])
export type UsageSource = z.output<typeof UsageSource>

export const WindowUsage = z.object({
  utilization: z.number().nullable().meta({ description: '0 to 1; null when unknown' }),
  resets_at: z.string().nullable(),
  source: UsageSource,
})
export type WindowUsage = z.output<typeof WindowUsage>

export const Allowance = z.object({
  five_hour_tokens: z.int().min(1).nullable(),
  seven_day_tokens: z.int().min(1).nullable(),
})
export type Allowance = z.output<typeof Allowance>
export const AllowanceChange = z.strictObject(Allowance.shape).partial()

export const ProviderUsage = z.object({
  provider: ProviderId,
  configured: z.boolean(),
  five_hour: WindowUsage,
  seven_day: WindowUsage,
  source: UsageSource,
  heat: z.object({ level: Heat }),
  hard_limit_until: z.string().nullable(),
  failed_over: z.boolean(),
  failed_over_at: z.string().nullable(),
  backup: ModelName.nullable(),
  allowance: Allowance,
})
export type ProviderUsage = z.output<typeof ProviderUsage>

const Price = z.object({
  input_usd_per_mtok: z.number().min(0).max(1_000_000),
  output_usd_per_mtok: z.number().min(0).max(1_000_000),
  cached_usd_per_mtok: z.number().min(0).max(1_000_000).nullable().default(null),
  context_tokens: z.int().min(1_000).max(100_000_000).nullable().default(null),
})
export type Price = z.output<typeof Price>
export type PriceInput = z.input<typeof Price>

/** Prices and context sizes by model id, merged; null restores what the lists say. */
export const PriceChange = z.strictObject({
  prices: z.record(z.string().min(1).max(200), z.strictObject(Price.shape).nullable()),
})
