import { z } from 'zod'
import type { Shape } from './fields.ts'

/** How `Table` stores the fields: what they are stored as follows from their schemas. */
export function storageOf(
  fields: Shape,
  { columns, packed, select }: { columns?: readonly string[]; packed?: string; select?: string },
) {
  const names = Object.keys(fields)
  const own = packed === undefined ? names : names.filter((name) => columns?.includes(name))
  const plain = (name: string) => plainOf(fields[name] as z.ZodType)
  return {
    booleans: own.filter((name) => plain(name) instanceof z.ZodBoolean),
    json: own.filter((name) => !scalars.some((scalar) => plain(name) instanceof scalar)),
    ...(packed !== undefined && {
      packed: { column: packed, fields: names.filter((name) => !own.includes(name)) },
    }),
    ...(select !== undefined && { select }),
  }
}

const scalars = [z.ZodString, z.ZodStringFormat, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral]

/** The schema inside its default, and inside what says that it may be absent or null. */
function plainOf(field: z.ZodType): z.ZodType {
  const wrapped =
    field instanceof z.ZodDefault ||
    field instanceof z.ZodPrefault ||
    field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable
  return wrapped ? plainOf(field.unwrap() as z.ZodType) : field
}
