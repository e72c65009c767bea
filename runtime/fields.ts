import { z } from 'zod'

export type Shape = z.ZodRawShape

/** Fields as they are read: always there, so without their defaults. */
export type Read<Fields extends Shape> = {
  [Name in keyof Fields]: Fields[Name] extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner>
    ? Inner
    : Fields[Name]
}

/** Fields as a change sends them: each may be left out. */
export type Changed<Fields extends Shape> = {
  [Name in keyof Fields]: z.ZodOptional<Read<Fields>[Name]>
}

/** The fields of a thing that exists, from those of a new one. */
export const readOf = <Fields extends Shape>(fields: Fields) =>
  mapShape(fields, withoutDefault) as unknown as Read<Fields>

/** The body that changes some of the fields; a field that is absent stays as it is. */
export const changesOf = <Fields extends Shape>(fields: Fields) =>
  z.object(mapShape(fields, (field) => withoutDefault(field).optional()) as unknown as Changed<Fields>)

const mapShape = (shape: Shape, to: (field: z.ZodType) => z.ZodType): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, to(field as z.ZodType)]))

function withoutDefault(field: z.ZodType): z.ZodType {
  if (!(field instanceof z.ZodDefault || field instanceof z.ZodPrefault)) return field
  const inner = field.unwrap() as z.ZodType
  const meta = field.meta()
  return meta ? inner.meta({ ...inner.meta(), ...meta }) : inner
}
