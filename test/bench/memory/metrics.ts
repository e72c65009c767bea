export interface Scores {
  r5: number
  r10: number
  r20: number
  ndcg10: number
  mrr: number
}

/** Of one question: `ranked` are ids, best first, and `relevant` those that hold the answer. */
export function scoresOf(ranked: readonly string[], relevant: ReadonlySet<string>): Scores {
  const recall = (most: number) => ranked.slice(0, most).filter((id) => relevant.has(id)).length / relevant.size
  const gain = (hit: boolean, place: number) => (hit ? 1 / Math.log2(place + 2) : 0)
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, place) => gain(true, place))
  const gained = ranked.slice(0, 10).map((id, place) => gain(relevant.has(id), place))
  const first = ranked.findIndex((id) => relevant.has(id))
  return {
    r5: recall(5),
    r10: recall(10),
    r20: recall(20),
    ndcg10: sum(gained) / sum(ideal),
    mrr: first < 0 ? 0 : 1 / (first + 1),
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** In per cent. */
export function averageOf(scores: readonly Scores[]): Scores {
  const average = (name: keyof Scores) => (100 * sum(scores.map((one) => one[name]))) / scores.length
  return {
    r5: average('r5'),
    r10: average('r10'),
    r20: average('r20'),
    ndcg10: average('ndcg10'),
    mrr: average('mrr'),
  }
}
