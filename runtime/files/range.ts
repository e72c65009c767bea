/** First byte and the one behind the last. */
export interface Range {
  start: number
  end: number
}

/**
 * What a `Range` header asks of `size` bytes: the first range that can be met, `unsatisfiable` when none can, null when
 * the header means nothing and is to be ignored. RFC 9110, section 14: a server may answer several ranges with one.
 */
export function readRange(header: string | null, size: number): Range | 'unsatisfiable' | null {
  const list = header?.match(/^\s*bytes\s*=(.*)$/i)?.[1]
  if (list === undefined) return null
  const wanted = list.split(',').map((one) => one.trim().match(/^(\d*)\s*-\s*(\d*)$/))
  if (wanted.some((match) => !match || (match[1] === '' && match[2] === ''))) return null
  const ranges = wanted.map((match) => toRange(match?.[1] ?? '', match?.[2] ?? '', size))
  if (ranges.includes(null)) return null
  return ranges.find((range) => range !== null && range.start < range.end) ?? 'unsatisfiable'
}

/** Null for a last byte before the first. Nothing that cannot be met has bytes in it. */
function toRange(first: string, last: string, size: number): Range | null {
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size }
  if (last !== '' && Number(last) < Number(first)) return null
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** Whether an `If-None-Match` names this tag; the weak comparison of RFC 9110, section 13.1.2. */
export function namesTag(header: string | null, tag: string): boolean {
  if (header === null) return false
  return header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))
}

/** A range counts only when `If-Range` is absent or names exactly this content. Dates are never strong enough here. */
export const rangeCounts = (ifRange: string | null, tag: string): boolean =>
  ifRange === null || ifRange.trim() === tag
