/** A record without the members that are undefined. */
export const defined = <Value extends object>(
  value: Value,
): { [Name in keyof Value]: Exclude<Value[Name], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never

export const isSameJson = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)

/** Whether a JSON value is an object, and no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A JSON value as a text that is the same for equal values, whatever the order of their members. */
export const comparable = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  ) ?? 'undefined'

/** Like JSONata's `$boolean`, for the values that a condition evaluates to. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTrue)
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return typeof value !== 'function' && Boolean(value)
}
