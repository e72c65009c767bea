import { words } from './text.ts'

/**
 * How alike a text is to each candidate, 0 to 1. Rules come first; this decides only what no rule knows. An embedder
 * fits here as well: cosine similarities of the text's vector and the candidates'.
 */
export type Similarity = (text: string, candidates: readonly string[]) => number[] | Promise<number[]>

/** Shared words, near-misses of words, and letter triples: no model, no state. */
export const lexicalSimilarity: Similarity = (text, candidates) =>
  candidates.map((candidate) => alike(text, candidate))

function alike(left: string, right: string): number {
  const [first, second] = [words(left), words(right)]
  if (first.length === 0 || second.length === 0) return 0
  const near = first.filter((word) => second.some((other) => nearlySame(word, other))).length
  const share = (2 * near) / (first.length + second.length)
  return 0.7 * Math.min(share, 1) + 0.3 * dice(triples(first.join(' ')), triples(second.join(' ')))
}

export function nearlySame(left: string, right: string): boolean {
  if (left === right) return true
  if (Math.min(left.length, right.length) < 4) return false
  return editDistance(left, right) <= (Math.max(left.length, right.length) < 7 ? 1 : 2)
}

function triples(text: string): Set<string> {
  const padded = ` ${text} `
  const found = new Set<string>()
  for (let start = 0; start + 3 <= padded.length; start++) found.add(padded.slice(start, start + 3))
  return found
}

function dice(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((item) => right.has(item)).length
  return left.size + right.size === 0 ? 0 : (2 * shared) / (left.size + right.size)
}

/** Damerau-Levenshtein distance with adjacent swaps ("waht" is one step from "what"). */
export function editDistance(left: string, right: string): number {
  let older: number[] = []
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const swap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const changed = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      const steps = [(previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed]
      if (swap) steps.push((older[column - 2] ?? 0) + 1)
      current[column] = Math.min(...steps)
    }
    older = previous
    previous = current
  }
  return previous[right.length] ?? 0
}
