import { bestMatch, type Found, splitClauses } from './match.ts'
import type { Intent, Scene } from './types.ts'

/** A clause of a request with the intent that answers it; without one, it was not understood. */
export interface Routed {
  text: string
  found: Found | undefined
}

/** Sends each clause of a request to an intent: by a sure rule, or else by a weak one. */
export function route(request: string, scene: Scene): Routed[] {
  const clauses = splitClauses(request, scene)
  return (clauses.length > 0 ? clauses : [{ text: request, found: undefined }]).map(({ text, found }) => {
    return { text, found: found ?? bestMatch(text, scene) }
  })
}

export const isUsable = (intent: Intent, scene: Scene): boolean =>
  intent.tools.length === 0 || intent.tools.some((tool) => scene.tools.has(tool))
