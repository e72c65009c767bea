import type { MemberSchema } from '../../../api/settings.ts'

/** What is no word but an abbreviation. */
const abbreviations: Record<string, string> = { tls: 'TLS', starttls: 'STARTTLS' }

/** `approval_timeout_minutes` as `Approval timeout minutes`, for what its schema does not name. */
export function humanised(name: string): string {
  const short = abbreviations[name]
  if (short) return short
  const words = name.replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function labelsOf({ title, description }: MemberSchema, path: readonly string[]) {
  return { label: title ?? humanised(path.at(-1) ?? ''), description }
}
