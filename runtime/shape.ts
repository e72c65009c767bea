import { z } from 'zod'

/**
 * Throws unless `value` matches the schema and has no undeclared fields: undeclared fields are how secrets leak.
 * Runs only if `Config.check_answers` is set, that is, in tests.
 */
export function checkShape(schema: z.ZodType, value: unknown, name: string): void {
  const problem = shapeProblem(schema, value)
  if (problem !== null) throw new Error(`${name} ${problem}`)
}

/** Why `value` does not match the schema; null if it matches and has no undeclared fields. */
export function shapeProblem(schema: z.ZodType, value: unknown): string | null {
  const sent = JSON.parse(JSON.stringify(value ?? null))
  const { success, data, error } = schema.safeParse(sent)
  if (!success) return `does not match its declared schema: ${z.prettifyError(error)}`
  const extra = undeclared(sent, data, '')
  return extra.length > 0 ? `has undeclared fields: ${extra.join(', ')}` : null
}

function undeclared(sent: unknown, declared: unknown, path: string): string[] {
  if (Array.isArray(sent)) {
    return sent.flatMap((item, index) =>
      undeclared(item, (declared as unknown[] | undefined)?.[index], `${path}[${index}]`),
    )
  }
  if (typeof sent !== 'object' || sent === null) return []
  return Object.entries(sent).flatMap(([name, member]) => {
    const members = declared as Record<string, unknown> | undefined
    if (typeof members !== 'object' || members === null) return []
    return Object.hasOwn(members, name) ? undeclared(member, members[name], `${path}.${name}`) : [`${path}.${name}`]
  })
}
