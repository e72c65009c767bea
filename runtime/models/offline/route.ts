import { bestMatch, type Clause, isSure, splitClauses } from './clauses.ts'
import { corrected } from './spelling.ts'
import type { Intent, Scene } from './types.ts'

/** From here on, what was typed is taken for the example that it resembles; below, it is asked. */
const SAME = 0.8
const PERHAPS = 0.6
/** A weak rule this good is no misspelling: the request is in another language. */
const PLAIN = 0.4
/** In characters: what is longer is no misspelt order. */
const SHORT = 400

export type Routed =
  | { kind: 'intent'; text: string; found: NonNullable<Clause['found']> }
  | { kind: 'ask'; text: string; example: string }
  | { kind: 'unknown'; text: string; examples: string[] }

/** Sends each clause of a request to an intent: by rule, by corrected spelling, by a weak rule, by likeness. */
export async function route(request: string, scene: Scene): Promise<Routed[]> {
  const routed: Routed[] = []
  const clauses = splitClauses(request, scene)
  if (clauses.length === 0) return routeUnsure(request, scene)
  for (const clause of clauses) {
    if (isSure(clause.found)) routed.push({ kind: 'intent', text: clause.text, found: clause.found })
    else routed.push(...(await routeUnsure(clause.text, scene)))
  }
  return routed
}

async function routeUnsure(text: string, scene: Scene): Promise<Routed[]> {
  const weak = bestMatch(text, scene)
  if (weak && weak.match.score >= PLAIN) return [{ kind: 'intent', text, found: weak }]
  const respelled = text.length > SHORT ? null : corrected(text)
  const reread = respelled === null ? [] : splitClauses(respelled, scene)
  if (reread.length > 0 && reread.every(({ found }) => isSure(found))) return reread.flatMap(asIntent)
  if (weak) return [{ kind: 'intent', text, found: weak }]
  return [await routeByLikeness(text, scene)]
}

function asIntent({ text, found }: Clause): Routed[] {
  return found ? [{ kind: 'intent', text, found }] : []
}

async function routeByLikeness(text: string, scene: Scene): Promise<Routed> {
  if (text.length > SHORT) return { kind: 'unknown', text, examples: suggestions(scene) }
  const examples = usableExamples(scene)
  const scores = await scene.similarity(text, examples)
  const ranked = examples
    .map((example, index) => ({ example, score: scores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score)
  const [first] = ranked
  const found = first && bestMatch(first.example, scene)
  if (first && found && first.score >= SAME) return { kind: 'intent', text: first.example, found }
  if (first && first.score >= PERHAPS) return { kind: 'ask', text, example: first.example }
  return { kind: 'unknown', text, examples: suggestions(scene) }
}

/** Three things that work now, of three kinds. */
function suggestions(scene: Scene): string[] {
  const usable = scene.intents.filter((intent) => intent.title && isUsable(intent, scene))
  return usable.slice(0, 3).flatMap((intent) => intent.examples.slice(0, 1))
}

function usableExamples(scene: Scene): string[] {
  return scene.intents.filter((intent) => isUsable(intent, scene)).flatMap((intent) => intent.examples)
}

export function isUsable(intent: Intent, scene: Scene): boolean {
  return intent.tools.length === 0 || intent.tools.some((tool) => scene.tools.has(tool))
}
