import { z } from 'zod'
import type { Context } from './context.ts'
import { type FaultIssue, invalid } from './fault.ts'
import { descriptions, type ReferenceKind } from './references.ts'

type Format = string | { member: string; kinds: Readonly<Record<string, ReferenceKind>> } | undefined

export interface Reference {
  /** Dotted, as in issues. */
  path: string
  kind: ReferenceKind
  name: string
}

const isKind = (format: unknown): format is ReferenceKind =>
  typeof format === 'string' && Object.hasOwn(descriptions, format)

interface Place {
  path: string
  /** The object that holds the value. */
  parent: unknown
}

/** The references in a value of a schema. */
export function referencesIn(
  schema: z.ZodType,
  value: unknown,
  { path, parent }: Place = { path: '', parent: {} },
): Reference[] {
  if (value === undefined || value === null) return []
  const format = schema.meta()?.['x-format'] as Format
  if (typeof value === 'string') {
    const kind = typeof format === 'object' ? format.kinds[String((parent as Members)[format.member])] : format
    if (isKind(kind)) return [{ path, kind, name: value }]
  }
  const below = (inner: unknown, member: unknown, name: string | number) =>
    referencesIn(inner as z.ZodType, member, {
      path: path === '' ? String(name) : `${path}.${name}`,
      parent: value,
    })
  if (schema instanceof z.ZodObject && typeof value === 'object')
    return Object.entries(schema.shape).flatMap(([name, member]) => below(member, (value as Members)[name], name))
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item, index) => below(schema.element, item, index))
  if (schema instanceof z.ZodRecord && typeof value === 'object')
    return Object.entries(value).flatMap(([name, member]) => below(schema.valueType, member, name))
  if (schema instanceof z.ZodUnion) {
    const option = schema.options.find((one) => (one as z.ZodType).safeParse(value).success)
    return option ? referencesIn(option as z.ZodType, value, { path, parent }) : []
  }
  const inner = innerOf(schema)
  return inner ? referencesIn(inner, value, { path, parent }) : []
}

type Members = Record<string, unknown>

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in as z.ZodType
  if (schema instanceof z.ZodLazy) return schema.unwrap() as z.ZodType
  const { innerType } = schema.def as { innerType?: z.ZodType }
  return innerType
}

/**
 * The references in a value that name nothing that the caller may refer to. Those that the value before a change had too
 * are not checked, so that a thing can be changed after what it refers to was deleted.
 */
export async function danglingReferences(
  context: Context,
  references: readonly Reference[],
  before: () => Promise<readonly Reference[]> = async () => [],
): Promise<FaultIssue[]> {
  const dangling: Reference[] = []
  for (const one of references) if (!(await isReference(context, one))) dangling.push(one)
  if (dangling.length === 0) return []
  const old = new Set((await before()).map(({ kind, name }) => `${kind} ${name}`))
  return dangling
    .filter(({ kind, name }) => !old.has(`${kind} ${name}`))
    .map(({ path, kind }) => ({ path, message: `must be ${descriptions[kind]}` }))
}

/** Whether an area has a thing of that name to which the caller may refer. */
export async function isReference(context: Context, { kind, name }: Omit<Reference, 'path'>): Promise<boolean> {
  const checks = context.areas.flatMap(({ references }) => references?.[kind] ?? [])
  if (checks.length === 0) throw new Error(`no area knows what a reference to ${kind} names`)
  for (const check of checks) if (await check(context, name)) return true
  return false
}

/** Computed once per schema, which never changes. */
const withReferences = new WeakMap<z.ZodType, boolean>()

/** Whether any value of a schema can hold a reference. */
function canRefer(schema: z.ZodType): boolean {
  const stored = withReferences.get(schema)
  if (stored !== undefined) return stored
  const answer = formatsIn(schema).some(({ format }) => typeof format === 'object' || isKind(format))
  withReferences.set(schema, answer)
  return answer
}

/** The fields of a schema with their formats, by dotted path; `*` stands for the items of a list. */
export function formatsIn(schema: z.ZodType, path = '', outer: Format = undefined): { path: string; format: Format }[] {
  const format = (schema.meta()?.['x-format'] as Format) ?? outer
  const below = (inner: unknown, name: string) => formatsIn(inner as z.ZodType, path === '' ? name : `${path}.${name}`)
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, member]) => below(member, name))
  if (schema instanceof z.ZodArray) return below(schema.element, '*')
  if (schema instanceof z.ZodRecord) return below(schema.valueType, '*')
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option) => formatsIn(option as z.ZodType, path, format))
  const inner = innerOf(schema)
  return inner ? formatsIn(inner, path, format) : [{ path, format }]
}

/** Throws a 422 that names each field of a body whose reference does not exist for the caller. */
export async function checkReferences(
  context: Context,
  schema: z.ZodType,
  body: unknown,
  before?: () => Promise<unknown>,
): Promise<void> {
  if (!canRefer(schema)) return
  const issues = await danglingReferences(
    context,
    referencesIn(schema, body),
    before && (async () => referencesIn(schema, await before())),
  )
  if (issues.length > 0) throw invalid(issues)
}
