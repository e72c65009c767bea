import { pretty } from './json.ts'

export type Input = Record<string, unknown>

export const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join('\n') || 'None'
  return value === null ? 'None' : pretty(value) || 'Empty'
}
