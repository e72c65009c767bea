import type { ToolServerAddress } from '../../runtime/ports/tool-servers.ts'

const secretName = /key|token|secret|pass|pwd|auth|credential|cookie|session|dsn|connection/i

/** Long and without the marks of a path, an address or a sentence. */
const secretShape = /^[^\s/\\:.]{16,}$/

/**
 * Replaces the secrets of an address wherever they occur in text or JSON. A server is free to write its environment
 * into a result or an error; folders, hosts and other plain settings stay readable.
 */
export function maskFor(address: ToolServerAddress): <Value>(value: Value) => Value {
  const secrets = secretsOf(address.transport === 'stdio' ? address.env : address.headers)
  const mask = (value: unknown): unknown => {
    if (typeof value === 'string')
      return secrets.reduce((text, secret) => text.replaceAll(secret, '•••'), value)
    if (Array.isArray(value)) return value.map(mask)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mask(member)]))
  }
  return (value) => (secrets.length === 0 ? value : (mask(value) as typeof value))
}

function secretsOf(values: Readonly<Record<string, string>>): string[] {
  const secrets = Object.entries(values).flatMap(([name, value]) =>
    // `Bearer abc` is secret as a whole and in its second word.
    [value, ...value.split(/\s+/).slice(1)].filter(
      (part) => (part.length >= 4 && secretName.test(name)) || secretShape.test(part),
    ),
  )
  return secrets.toSorted((left, right) => right.length - left.length)
}
