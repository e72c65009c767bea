import { Schedule } from '../schema.ts'
import { Refusal } from './reading.ts'

/** Cron expressions and ISO times are taken as they are. */
export function readRaw(text: string, zone: string): Schedule | null {
  const words = text.trim().replace(/^(?:by )?(?:the )?cron(?: expression)?:? +/i, '')
  if (/^@[a-z]+$/i.test(words) || isCronLike(words))
    return checked({ type: 'cron', expression: words, timezone: zone })
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/i.test(words))
    return checked({ type: 'at', datetime: words.toUpperCase().replace(' ', 'T'), timezone: zone })
  return null
}

function isCronLike(words: string): boolean {
  const fields = words.split(/\s+/)
  if (fields.length < 5 || fields.length > 6) return false
  return (
    fields.every((field) => /^[\w*/,#?-]+$/.test(field)) &&
    /^[\d*/,-]+$/.test(fields[0] ?? '') &&
    /^[\d*/,-]+$/.test(fields[1] ?? '')
  )
}

function checked(candidate: unknown): Schedule {
  const read = Schedule.safeParse(candidate)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Refusal(`${issue?.path.join('.')} ${issue?.message}`)
}
