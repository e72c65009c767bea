import { z } from 'zod'
import { isRecord } from '../values.ts'

/** Any part of a value. Lists, records and nullable members are given whole. */
export type Subset<Value> = {
  [Name in keyof Value]?:
    | (Value[Name] extends readonly unknown[]
        ? Value[Name]
        : Value[Name] extends object
          ? Subset<Value[Name]>
          : Value[Name])
    | undefined
}

/** Accepts any part of an object and of the objects in it, but no unknown name: a typo would go unnoticed. */
export function subsetOf<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
): z.ZodType<Subset<z.output<z.ZodObject<Shape>>>> {
  const members = Object.entries(schema.shape).map(([name, member]) => [
    name,
    member instanceof z.ZodObject ? subsetOf(member) : member,
  ])
  return z.strictObject(Object.fromEntries(members)).partial() as never
}

/** Merges `change` into `old`: recursively where the schema has an object, else the new value replaces the old one. */
export function mergeShape(
  schema: z.ZodObject,
  old: Record<string, unknown>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined)
  const merged = entries.map(([name, value]) => {
    const member: unknown = schema.shape[name]
    const nested = member instanceof z.ZodObject && isRecord(value)
    return [name, nested ? mergeShape(member, isRecord(old[name]) ? old[name] : {}, value) : value]
  })
  return { ...old, ...Object.fromEntries(merged) }
}
