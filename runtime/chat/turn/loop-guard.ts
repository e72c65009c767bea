import type { Part } from '../schema.ts'

/** The same call this often means that the model turns in circles. */
const mostEqualCalls = 4
const mostEqualErrors = 3

/** Why a turn must end, or null. Pure: it looks at what the turn has done so far. */
export function loopReason(parts: readonly Part[]): string | null {
  const calls = parts
    .filter((part) => part.type === 'tool_use')
    .map((part) => `${part.tool} ${JSON.stringify(part.input)}`)
  if (mostFrequent(calls) >= mostEqualCalls) return `The same call was made ${mostEqualCalls} times`
  const errors = parts
    .filter((part) => part.type === 'tool_result' && part.is_error)
    .map((part) => (part.type === 'tool_result' ? `${part.tool} ${JSON.stringify(part.output)}` : ''))
  return mostFrequent(errors) >= mostEqualErrors ? `The same error came ${mostEqualErrors} times` : null
}

function mostFrequent(items: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
