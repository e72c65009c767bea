import { redacted, redactForms, secretName } from '../../runtime/secrets/redact.ts'

const bearer = /\bBearer\s+[\w.~+/=-]{8,}/gi

const word = /[^\s"'<>]+/g

const maxDepth = 6

export const redactText = (text: string) => redactForms(text.replace(word, withoutQuery).replace(bearer, redacted))

/** Cuts the query of a URL or request target; its path stays. */
function withoutQuery(address: string): string {
  const at = address.indexOf('?')
  const path = address.slice(0, at)
  const isAddress = at > 0 && at < address.length - 1 && (path.startsWith('/') || path.includes('://'))
  return isAddress ? `${path}?…` : address
}

/** A copy without secrets, by name or by form, and without the queries of URLs. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Error) return redactText(value.stack ?? value.message)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretName.test(name) && typeof member === 'string' ? redacted : redact(member, depth + 1),
    ]),
  )
}
