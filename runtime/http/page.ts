import { z } from 'zod'

/** `limit` and `offset` of a list, with their default and maximum. */
export const pageQuery = (fallback = 50, most = 200) =>
  z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(most)
      .default(fallback)
      .meta({ description: `1 to ${most}` }),
    offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  })

export interface Page {
  limit: number
  offset: number
}

/** Schema of a list response, for example `listOf('agents', Agent)`. */
export const listOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({
    ...({ [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>),
    total: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
  })

/** `true` or `false` in a query. */
export const queryBoolean = z.enum(['true', 'false']).transform((value) => value === 'true')

/** Default response of a `DELETE`. */
export const Deleted = z.object({ deleted: z.literal(true), id: z.string() })
