import { bestMatch, type Found, isSure, splitClauses } from './match.ts'
import { isStopWord, words } from './text.ts'
import type { Intent, Scene, Similarity } from './types.ts'

/**
 * Minimum similarity at which a request is treated like the example that it resembles; below it, the person
 * is asked.
 */
const SAME = 0.8
const PERHAPS = 0.6
/**
 * A weak match with at least this score is not treated as a misspelling: the request is in another language.
 */
const PLAIN = 0.4
/** In characters: what is longer is not a misspelled order. */
const SHORT = 400

export type Routed =
  | { kind: 'intent'; text: string; found: Found }
  | { kind: 'ask'; text: string; example: string }
  | { kind: 'unknown'; text: string; examples: string[] }

/**
 * Sends each clause of a request to an intent: by rule, by corrected spelling, by a weak rule, by likeness.
 */
export async function route(request: string, scene: Scene): Promise<Routed[]> {
  const clauses = splitClauses(request, scene)
  if (clauses.length === 0) return routeUnsure(request, scene)
  const routed = clauses.map(({ text, found }) =>
    found ? [{ kind: 'intent' as const, text, found }] : routeUnsure(text, scene),
  )
  return (await Promise.all(routed)).flat()
}

async function routeUnsure(text: string, scene: Scene): Promise<Routed[]> {
  const weak = bestMatch(text, scene)
  if (weak && weak.match.score >= PLAIN) return [{ kind: 'intent', text, found: weak }]
  const respelled = text.length > SHORT ? null : corrected(text)
  const reread = respelled === null ? [] : splitClauses(respelled, scene)
  if (reread.length > 0 && reread.every(({ found }) => isSure(found)))
    return reread.flatMap(({ found }) => (found ? [{ kind: 'intent', text, found }] : []))
  return weak ? [{ kind: 'intent', text, found: weak }] : [await routeByLikeness(text, scene)]
}

async function routeByLikeness(text: string, scene: Scene): Promise<Routed> {
  const usable = scene.intents.filter((intent) => isUsable(intent, scene))
  /** Three examples of different kinds that work now. */
  const suggested = usable.filter(({ title }) => title).slice(0, 3)
  const unknown: Routed = {
    kind: 'unknown',
    text,
    examples: suggested.flatMap(({ examples }) => examples[0] ?? []),
  }
  if (text.length > SHORT) return unknown
  const examples = usable.flatMap((intent) => intent.examples)
  const scores = await scene.similarity(text, examples)
  const score = Math.max(0, ...scores)
  const example = examples[scores.indexOf(score)] ?? ''
  const found = score >= SAME ? bestMatch(example, scene) : undefined
  if (found) return { kind: 'intent', text: example, found }
  return score >= PERHAPS ? { kind: 'ask', text, example } : unknown
}

export const isUsable = (intent: Intent, scene: Scene): boolean =>
  intent.tools.length === 0 || intent.tools.some((tool) => scene.tools.has(tool))

/** By shared words, near-misses of words, and letter triples: no model, no state. */
export const lexicalSimilarity: Similarity = (text, candidates) =>
  candidates.map((candidate) => {
    const [first, second] = [words(text), words(candidate)]
    if (first.length === 0 || second.length === 0) return 0
    const near = first.filter((word) => second.some((other) => nearlySame(word, other))).length
    const share = (2 * near) / (first.length + second.length)
    return 0.7 * Math.min(share, 1) + 0.3 * dice(triples(first.join(' ')), triples(second.join(' ')))
  })

const triples = (text: string): Set<string> =>
  new Set(Array.from({ length: text.length }, (_, start) => ` ${text} `.slice(start, start + 3)))

const dice = (left: Set<string>, right: Set<string>): number =>
  (2 * left.intersection(right).size) / Math.max(left.size + right.size, 1)

/** The words that requests depend on. Only these are ever corrected, never names or content. */
const KEYWORDS =
  `remember remind reminder schedule calculate convert summarise summarize fetch search write read list
todo todos files jobs cancel translate what time date when what's weather extract entities plan open create project
workflow every tomorrow help hello append replace status show people please delete remove timezone check calculate know
about between percent minutes hours`.split(/\s+/)

/** Corrects near-misses of keywords, such as "rember that" and "shedule". Null when nothing changes. */
function corrected(text: string): string | null {
  const fixed = text.replace(/(?<![\p{L}\p{N}"'./:@-])[a-z]{4,14}(?![\p{L}\p{N}"'./:@-])/giu, (word) => {
    const small = word.toLowerCase()
    if (KEYWORDS.includes(small) || isStopWord(small)) return word
    const near = KEYWORDS.filter((keyword) => nearlySame(small, keyword))
    return near.sort((left, right) => editDistance(small, left) - editDistance(small, right))[0] ?? word
  })
  return fixed === text ? null : fixed
}

function nearlySame(left: string, right: string): boolean {
  if (left === right) return true
  if (Math.min(left.length, right.length) < 4) return false
  return editDistance(left, right) <= (Math.max(left.length, right.length) < 7 ? 1 : 2)
}

/** Damerau-Levenshtein distance with adjacent swaps ("waht" is one step from "what"). */
function editDistance(left: string, right: string): number {
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
