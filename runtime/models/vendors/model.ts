import { z } from 'zod'

/** A model that a provider offers, with its context size and list prices. */
export const ProviderModel = z.object({
  id: z.string(),
  context_tokens: z.int().nullable(),
  input_usd_per_mtok: z.number().nullable(),
  output_usd_per_mtok: z.number().nullable(),
  cached_usd_per_mtok: z
    .number()
    .nullable()
    .meta({ description: 'Input that the vendor reads from its cache; null: the price of input' }),
})
export type ProviderModel = z.infer<typeof ProviderModel>
