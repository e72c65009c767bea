import type { Graph, GraphEdge } from '../../../api/memory.ts'

const dayOf = (at: string) => at.slice(0, 10)

/** The days on which a fact began or ended, the first first. */
export function momentsOf({ edges }: Graph): string[] {
  const days = edges.flatMap(({ valid_at, invalid_at }) => [valid_at, ...(invalid_at ? [invalid_at] : [])])
  return [...new Set(days.map(dayOf))].toSorted()
}

export type Standing = 'holds' | 'past' | 'future'

/** How a fact stands at the end of a day; without one, now. */
export function standingOf({ valid_at, invalid_at }: GraphEdge, day: string): Standing {
  if (day === '') return invalid_at === null ? 'holds' : 'past'
  if (dayOf(valid_at) > day) return 'future'
  return invalid_at !== null && dayOf(invalid_at) <= day ? 'past' : 'holds'
}
