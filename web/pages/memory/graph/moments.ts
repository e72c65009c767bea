import type { Graph, GraphEdge } from '../../../api/memory.ts'

const dayOf = (at: string) => at.slice(0, 10)

/** The days on which a fact began or ended, the first first; also the ends of what is too much to be shown. */
export function momentsOf({ edges, first_valid_at, last_valid_at }: Graph): string[] {
  const days = edges.flatMap(({ valid_at, invalid_at }) => [valid_at, ...(invalid_at ? [invalid_at] : [])])
  const ends = [first_valid_at, last_valid_at].filter((at) => at !== null)
  return [...new Set([...days, ...ends].map(dayOf))].toSorted()
}

export type Standing = 'holds' | 'past' | 'future'

/** How a fact stands at the end of a day; without one, now. */
export function standingOf({ valid_at, invalid_at }: GraphEdge, day: string): Standing {
  if (day === '') return invalid_at === null ? 'holds' : 'past'
  if (dayOf(valid_at) > day) return 'future'
  return invalid_at !== null && dayOf(invalid_at) <= day ? 'past' : 'holds'
}
