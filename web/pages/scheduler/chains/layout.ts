import type { ChainEdge } from '../../../api/scheduler.ts'

const column = 300
const line = 100

/** Each job right of all that lead to it; those of one rank stand under each other. */
export function layout(
  jobs: readonly string[],
  edges: readonly ChainEdge[],
): Map<string, { x: number; y: number }> {
  const ranks = new Map(jobs.map((job) => [job, 0]))
  // A path is never longer than the jobs are many, so this ends whatever the edges are.
  for (let round = 0; round < jobs.length; round += 1) {
    for (const { from, to } of edges) {
      const next = Math.min((ranks.get(from) ?? 0) + 1, jobs.length)
      if (ranks.has(to) && next > (ranks.get(to) ?? 0)) ranks.set(to, next)
    }
  }
  const filled = new Map<number, number>()
  return new Map(
    jobs.map((job) => {
      const rank = ranks.get(job) ?? 0
      const place = filled.get(rank) ?? 0
      filled.set(rank, place + 1)
      return [job, { x: rank * column, y: place * line }]
    }),
  )
}

/** Whether an edge would lead back to where it comes from. */
export function closesCircle(edges: readonly ChainEdge[], from: string, to: string): boolean {
  const seen = new Set<string>()
  const reaches = (job: string): boolean => {
    if (job === from) return true
    if (seen.has(job)) return false
    seen.add(job)
    return edges.some((edge) => edge.from === job && reaches(edge.to))
  }
  return reaches(to)
}
