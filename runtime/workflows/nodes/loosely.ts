import { comparable } from '../../values.ts'

/** Loose equality, as imported merges and comparisons have it. It is not transitive: 1 is true and "1", which is not "true". */

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const isZero = (value: unknown): boolean => value === null || value === 0 || value === '0'

/** `zero`: null is also 0. */
export function areLooselyEqual(left: unknown, right: unknown, zero: boolean): boolean {
  if (left !== null && right !== null && typeof left === typeof right) return isSame(left, right)
  if (zero && (left === null || right === null) && isZero(left) && isZero(right)) return true
  if (isNothing(left) && isNothing(right)) return true
  return typeof left === 'string'
    ? meansText(right, left)
    : typeof right === 'string'
      ? meansText(left, right)
      : areOne(left, right)
}

const isSame = (left: unknown, right: unknown): boolean => comparable(left) === comparable(right)

/** A boolean and a number, in either order. */
const areOne = (left: unknown, right: unknown): boolean =>
  (typeof left === 'boolean' && right === Number(left)) || (typeof right === 'boolean' && left === Number(right))

function meansText(value: unknown, text: string): boolean {
  if (typeof value === 'number') return String(value) === text
  if (typeof value === 'boolean') return text.toLowerCase() === String(value) || text === String(Number(value))
  if (typeof value !== 'object' || value === null) return false
  const json = parsed(text)
  return json !== undefined && isSame(json, value)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A key that values have in common if they may be equal. */
export function looseKey(value: unknown): string {
  if (isNothing(value)) return '0'
  if (typeof value === 'boolean' || /^(true|false)$/i.test(String(value)))
    return String(Number(/^true$/i.test(String(value))))
  if (typeof value === 'object') return comparable(value)
  const json = /^\s*[[{]/.test(String(value)) ? parsed(String(value)) : undefined
  return json === undefined ? String(value) : looseKey(json)
}
