import type { Outcome } from './types.ts'

/** Tools answer with JSON of their own making, so every field is read with care. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

export function textField(value: unknown, key: string): string {
  const field = record(value)[key]
  if (typeof field === 'string') return field
  return typeof field === 'number' ? String(field) : ''
}

/** The rows of a list: under one of the names, or the value itself. */
export function rows(value: unknown, ...names: string[]): Record<string, unknown>[] {
  const list = Array.isArray(value) ? value : names.map((name) => record(value)[name]).find(Array.isArray)
  return ((list ?? []) as unknown[]).map(record)
}

/** Some hosts report a refused approval as a result rather than as an error. */
export function failedOutcome(output: unknown): boolean {
  const { approved, status } = record(output)
  return (
    approved === false ||
    (typeof status === 'string' && /^(?:rejected|refused|denied|expired|cancelled)$/.test(status))
  )
}

export type FailureKind = 'rejected' | 'expired' | 'error'

export function failureOf(outcome: Outcome): { kind: FailureKind; reason: string } {
  const reason = reasonOf(outcome.output)
  const whole = `${textField(outcome.output, 'status')} ${textField(outcome.output, 'code')} ${reason}`
  if (/\bapproval\b.*\b(?:expired|timed out|ran out)|\bexpired\b.*\bapproval|^expired\b/i.test(whole)) {
    return { kind: 'expired', reason }
  }
  const approval =
    record(outcome.output).approved === false || /^(?:rejected|refused|denied)\b/i.test(whole.trim())
  const refused =
    /\b(?:not approved|disapproved|approval (?:was )?(?:rejected|refused|denied|declined)|(?:rejected|refused|denied|declined) (?:by|the approval)|(?:user|owner|you) (?:has |have |did )?(?:rejected|refused|denied|declined|not approve))/i
  return { kind: approval || refused.test(whole) ? 'rejected' : 'error', reason }
}

function reasonOf(output: unknown): string {
  if (typeof output === 'string') return output.trim()
  const { error, reason, message, detail } = record(output)
  for (const candidate of [error, reason, message, detail]) {
    if (typeof candidate === 'string' && candidate !== '') return candidate
    const inner = textField(candidate, 'message')
    if (inner !== '') return inner
  }
  return ''
}
