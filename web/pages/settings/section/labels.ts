import type { MemberSchema } from '../../../api/settings.ts'

/** `approval_timeout_minutes` as `Approval timeout minutes`, for what its schema does not name. */
export function humanised(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function labelsOf({ title, description }: MemberSchema, path: readonly string[]) {
  return { label: title ?? humanised(path.at(-1) ?? ''), description }
}
