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

export const listOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({
    ...({ [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  })

/** Part of a name or text by which a list is filtered. */
export const searchText = z.string().max(200).optional()

/** A status by which a list is filtered; `all`, the default, is undefined. */
export const statusFilter = <Status extends string>(statuses: readonly Status[]) =>
  z
    .enum<readonly string[]>(['all', ...statuses])
    .default('all')
    .transform((status) => (status === 'all' ? undefined : status)) as z.ZodType as z.ZodOptional<
    z.ZodType<Status, 'all' | Status>
  >

/** `true` or `false` in a query. */
export const queryBoolean = z.enum(['true', 'false']).transform((value) => value === 'true')

export const Deleted = z.object({ deleted: z.literal(true), id: z.string() })
