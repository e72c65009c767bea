import { z } from 'zod'
import type { FaultIssue } from '../fault.ts'
import { readable } from '../validation.ts'

/** The zod schema of an `input_schema`; null if it is not a JSON Schema that can be checked. */
export function schemaOf(schema: Record<string, unknown>): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  } catch {
    return null
  }
}

/** What is wrong with the input of an execution. */
export function inputProblems(schema: Record<string, unknown> | null, input: unknown): FaultIssue[] {
  const checked = schema && schemaOf(schema)?.safeParse(input ?? {}, readable)
  if (!checked || checked.success) return []
  return checked.error.issues.map(({ path, message }) => ({
    path: ['input', ...path.map(String)].join('.'),
    message,
  }))
}
