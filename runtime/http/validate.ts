import type { z } from 'zod'
import { badRequest, Fault, type FaultIssue, invalid, notFound, sentenceOf } from '../fault.ts'
import { readable } from '../validation.ts'

/** A value of the wrong type has one issue: that it also has the wrong length says nothing. */
function issues(error: z.ZodError): FaultIssue[] {
  const wrongType = new Set<string>()
  return error.issues.flatMap(({ code, path, message }) => {
    const name = path.map(String).join('.')
    if (wrongType.has(name)) return []
    if (code === 'invalid_type') wrongType.add(name)
    return { path: name, message }
  })
}

/** Query values are text; the schema coerces them. An invalid one is a 400 that names the parameter. */
export function checkQuery(schema: z.ZodType | undefined, url: string): unknown {
  if (!schema) return undefined
  const search = new URL(url).searchParams
  const values: Record<string, string> = Object.create(null)
  for (const [name, value] of search) values[name] = value
  const result = schema.safeParse({ ...values }, readable)
  if (result.success) return result.data
  throw badRequest(sentenceOf(issues(result.error)))
}

/** An invalid path parameter is a 404, because no such resource can exist. */
export function checkParams(schema: z.ZodType | undefined, raw: Record<string, string>): unknown {
  if (!schema) return raw
  const result = schema.safeParse(raw)
  if (result.success) return result.data
  throw notFound('The resource')
}

/** A valid JSON body that does not match the schema is a 422 that lists every invalid field. */
export function checkBody(schema: z.ZodType, value: unknown): unknown {
  refuseUnstorable(value)
  const result = schema.safeParse(value, readable)
  if (result.success) return result.data
  throw invalid(issues(result.error))
}

const maxDepth = 64

/**
 * Refuses NUL (SQLite truncates there), lone surrogates (not valid text) and deep nesting (stack overflow). `path` is the same
 * list for all members: a list and a text for each of a million numbers would take hundreds of megabytes.
 */
function refuseUnstorable(value: unknown, path: (string | number)[] = []): void {
  if (path.length > maxDepth)
    throw new Fault(422, 'validation_error', `The body is nested deeper than ${maxDepth}`, {
      extra: { issues: [{ path: path.slice(0, 8).join('.'), message: 'nested too deep' }] },
    })
  if (typeof value === 'string') refuseText(value, path)
  if (typeof value !== 'object' || value === null) return
  const refuseMember = (key: string | number, member: unknown) => {
    path.push(key)
    refuseUnstorable(member, path)
    path.pop()
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) refuseMember(index, value[index])
    return
  }
  for (const key of Object.keys(value)) {
    refuseText(key, path)
    refuseMember(key, (value as Record<string, unknown>)[key])
  }
}

function refuseText(text: string, path: readonly (string | number)[]): void {
  if (text.includes('\u0000'))
    throw invalid([{ path: path.join('.'), message: 'must not contain the character U+0000' }])
  if (!text.isWellFormed()) throw invalid([{ path: path.join('.'), message: 'must be well-formed Unicode' }])
}
