import { bare } from './text.ts'
import type { Intent, IntentMatch, Scene } from './types.ts'

/** From this score on a rule is sure enough to act, and a clause to stand on its own. */
export const SURE = 0.5

/** In characters: a longer request is content for one intent, not a list of orders. It bounds the work of the patterns. */
const LONG = 1500
const MAX_PIECES = 16

export interface Clause {
  text: string
  /** Absent when no rule matches. */
  found?: { intent: Intent; match: IntentMatch }
}

const SENTENCE_END = /(?<=[.!?;])\s+(?:(?:and|then|also)\s+)*(?=\S)|\s*\n+\s*/
const JOINT =
  /,?\s+(?:and\s+)?(?:then|after that|afterwards|also)\s+|,?\s+(?:and|but)\s+(?:also\s+|please\s+|then\s+)?|,\s+/

/** The best rule for a text, in the order of the intents when two score alike. */
export function bestMatch(text: string, scene: Scene): Clause['found'] {
  const clean = bare(text)
  let best: Clause['found']
  for (const intent of scene.intents) {
    if (clean.length > LONG && !intent.content) continue
    const match = intent.match(clean, scene)
    if (match && match.score > (best?.match.score ?? 0)) best = { intent, match }
  }
  return best
}

export function isSure(found: Clause['found']): found is NonNullable<Clause['found']> {
  return found !== undefined && found.match.score >= SURE
}

/**
 * Cuts a request into clauses that each match a rule: "remember that I like tea and tell me the time" has two, "I
 * like tea and coffee" one. Quotations, addresses and parentheses are never cut.
 */
export function splitClauses(request: string, scene: Scene): Clause[] {
  const whole = bestMatch(request, scene)
  if (whole?.match.whole && isSure(whole)) return [{ text: request, found: whole }]
  const parts = request.length > LONG ? [] : pieces(request)
  if (parts.length === 0 || parts.length > MAX_PIECES) return [settled({ text: request, found: whole })]
  const clauses: Clause[] = []
  for (const piece of parts) {
    const current = clauses.at(-1)
    const found = bestMatch(piece.text, scene)
    if (current && !stands(piece, found, current, scene))
      clauses[clauses.length - 1] = joined(current, piece, scene)
    else clauses.push({ text: piece.text, found })
  }
  return clauses.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).map(settled)
}

function settled(clause: Clause): Clause {
  return isSure(clause.found) ? clause : { text: clause.text }
}

interface Piece {
  text: string
  /** What stood before it. */
  joint: string
  sentence: boolean
}

function stands(piece: Piece, found: Clause['found'], current: Clause, scene: Scene): boolean {
  if (piece.sentence)
    return isSure(found) || (isSure(current.found) && !isSure(joined(current, piece, scene).found))
  if (!isSure(found) || found.intent.alone) return false
  if (isSure(current.found) && keepsWhole(current, piece)) return false
  if (isSure(current.found)) return true
  return !isSure(bestMatch(current.text + piece.joint + piece.text, scene))
}

/** "Every morning fetch this and summarise it" is one job: what follows belongs to it unless it starts anew. */
function keepsWhole(current: Clause, piece: Piece): boolean {
  return (
    current.found?.match.slots.kind === 'job' && !/^(?:remember|remind|schedule|what)\b/i.test(piece.text)
  )
}

function joined(current: Clause, piece: Piece, scene: Scene): Clause {
  const text = current.text + piece.joint + piece.text
  return { text, found: bestMatch(text, scene) }
}

function pieces(request: string): Piece[] {
  const masked = mask(request)
  const found: Piece[] = []
  let start = 0
  let joint = ''
  const cuts = masked.matchAll(new RegExp(`(${SENTENCE_END.source})|${JOINT.source}`, 'gi'))
  let sentence = true
  for (const cut of cuts) {
    found.push({ text: request.slice(start, cut.index), joint, sentence })
    joint = cut[0]
    sentence = cut[1] !== undefined
    start = cut.index + cut[0].length
  }
  found.push({ text: request.slice(start), joint, sentence })
  return found
}

/** Same length, with everything that must not be cut blotted out. */
function mask(text: string): string {
  return text.replace(
    /"[^"]*"|(?<!\w)'[^']*'(?!\w)|\([^()]*\)|\{[^{}]*\}|```[\s\S]*?```|https?:\/\/\S+|\b(?:Dr|Mr|Mrs|Ms|St|e\.g|i\.e)\./g,
    (found) => '\u0001'.repeat(found.length),
  )
}
