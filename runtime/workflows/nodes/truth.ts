/** Like JSONata's `$boolean`, for the values that a condition evaluates to. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue)
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return typeof value !== 'function' && Boolean(value)
}
