import { bestMatch, type Found, splitClauses } from './match.ts'
import type { Intent, Scene, Similarity } from './types.ts'

/** Minimum similarity at which a request is treated like the example that it resembles, or the person is asked. */
const [SAME, PERHAPS] = [0.8, 0.6]
/** In characters: what is longer resembles no example. */
const SHORT = 400

export type Routed =
  | { kind: 'intent'; text: string; found: Found }
  | { kind: 'ask'; text: string; example: string }
  | { kind: 'unknown'; text: string; examples: string[] }

/** Sends each clause of a request to an intent: by rule, by a weak rule, by likeness. */
export async function route(request: string, scene: Scene): Promise<Routed[]> {
  const clauses = splitClauses(request, scene)
  return Promise.all(
    (clauses.length > 0 ? clauses : [{ text: request, found: undefined }]).map(({ text, found }) => {
      const match = found ?? bestMatch(text, scene)
      return match ? { kind: 'intent' as const, text, found: match } : routeByLikeness(text, scene)
    }),
  )
}

async function routeByLikeness(text: string, scene: Scene): Promise<Routed> {
  const usable = scene.intents.filter((intent) => isUsable(intent, scene))
  /** Three examples of different kinds that work now. */
  const suggested = usable.filter(({ title }) => title).slice(0, 3)
  const unknown: Routed = {
    kind: 'unknown',
    text,
    examples: suggested.flatMap((one) => one.examples[0] ?? []),
  }
  if (text.length > SHORT) return unknown
  // An example with content of its own, such as a fact to remember, is no order that anybody else gives.
  const orders = usable.flatMap(({ examples }) =>
    examples.flatMap((example) => {
      const found = bestMatch(example, scene)
      return found && !found.match.filled ? [{ example, found }] : []
    }),
  )
  const scores = await scene.similarity(
    text,
    orders.map(({ example }) => example),
  )
  const score = Math.max(0, ...scores)
  const order = orders[scores.indexOf(score)]
  if (!order || score < PERHAPS) return unknown
  return score >= SAME
    ? { kind: 'intent', text: order.example, found: order.found }
    : { kind: 'ask', text, example: order.example }
}

export const isUsable = (intent: Intent, scene: Scene): boolean =>
  intent.tools.length === 0 || intent.tools.some((tool) => scene.tools.has(tool))

/** By letter triples: no model, no state. */
export const lexicalSimilarity: Similarity = (text, candidates) => candidates.map((one) => dice(text, one))

function dice(text: string, candidate: string): number {
  const [left, right] = [triples(text), triples(candidate)]
  return (2 * left.intersection(right).size) / Math.max(left.size + right.size, 1)
}

const triples = (text: string): Set<string> =>
  new Set(
    Array.from({ length: text.length }, (_, start) => ` ${text.toLowerCase()} `.slice(start, start + 3)),
  )
