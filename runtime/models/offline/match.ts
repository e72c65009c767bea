import { bare, cue } from './text.ts'
import type { Intent, IntentMatch, Scene, Slots } from './types.ts'

/** Minimum score at which a rule is certain enough to act, and a clause can stand on its own. */
const SURE = 0.5

/**
 * In characters: a longer request is content for one intent, not a list of orders. It bounds the work of the
 * patterns.
 */
const LONG = 1500
const MAX_PIECES = 16

export interface Candidate {
  intent: Intent
  match: IntentMatch
}

export interface Clause {
  text: string
  /** Absent when no rule matches well enough: the clause was not understood. */
  best?: Candidate | undefined
}

function matchIntent(intent: Intent, text: string, scene: Scene): IntentMatch | null {
  const own = intent.reads?.(text)
  if (own) return own
  for (const { forms, score, slots: fixed, not, whole } of intent.rules) {
    const match = not?.test(text) ? null : forms.map((form) => form.exec(text)).find((match) => match !== null)
    const slots = match && { ...fixed, ...slotsOf(match) }
    if (slots && intent.accepts?.(slots, scene) !== false) return { score, slots, whole: whole?.test(text) ?? false }
  }
  return null
}

/** The named groups that matched something. */
function slotsOf({ groups = {} }: RegExpExecArray): Slots {
  const filled = Object.entries(groups).filter(([, value]) => value)
  return Object.fromEntries(filled.map(([name, value]) => [name, value.trim()]))
}

/** The best rule for a text, the first in the order of the intents if several have the same score. */
export function bestMatch(text: string, scene: Scene): Candidate | undefined {
  const clean = bare(text)
  let best: Candidate | undefined
  for (const intent of scene.intents) {
    if (clean.length > LONG && !intent.content) continue
    const match = matchIntent(intent, clean, scene)
    if (match && match.score > (best?.match.score ?? 0)) best = { intent, match }
  }
  return best
}

export const isSure = (best: Candidate | undefined): best is Candidate => best !== undefined && best.match.score >= SURE

/**
 * Cuts a request into clauses that each match a rule: "remember that I like tea and tell me the time" has
 * two, "I like tea and coffee" one. Quotations, addresses and parentheses are never cut.
 */
function splitClauses(request: string, scene: Scene): Clause[] {
  const whole = bestMatch(request, scene)
  const parts = request.length > LONG || (whole?.match.whole && isSure(whole)) ? [] : pieces(request)
  if (parts.length === 0 || parts.length > MAX_PIECES) return [settled({ text: request, best: whole })]
  const clauses: Clause[] = []
  for (const piece of parts) {
    const current = clauses.at(-1)
    const best = bestMatch(piece.text, scene)
    if (current && !startsClause(piece, best, current, scene))
      clauses[clauses.length - 1] = joined(current, piece, scene)
    else clauses.push({ text: piece.text, best })
  }
  return clauses.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).map(settled)
}

const settled = ({ text, best }: Clause): Clause => (isSure(best) ? { text, best } : { text })

interface Piece {
  text: string
  /** The text that separates it from the previous one. */
  joint: string
  sentence: boolean
}

function startsClause(piece: Piece, best: Candidate | undefined, current: Clause, scene: Scene): boolean {
  if (piece.sentence) return isSure(best) || (isSure(current.best) && !isSure(joined(current, piece, scene).best))
  if (!isSure(best) || best.intent.alone) return false
  if (isSure(current.best)) return !keepsWhole(current, piece)
  return !isSure(joined(current, piece, scene).best)
}

/**
 * "Every morning fetch this and summarise it" is one job: what follows belongs to it unless it is a new
 * order.
 */
const keepsWhole = (current: Clause, piece: Piece): boolean =>
  current.best?.match.slots.kind === 'job' && !/^(?:remember|remind|schedule|what)\b/i.test(piece.text)

function joined(current: Clause, piece: Piece, scene: Scene): Clause {
  const text = current.text + piece.joint + piece.text
  return { text, best: bestMatch(text, scene) }
}

function pieces(request: string): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let next = { joint: '', sentence: true }
  for (const cut of mask(request).matchAll(cue('clause_end', 'g'))) {
    pieces.push({ text: request.slice(start, cut.index), ...next })
    next = { joint: cut[0], sentence: cut[1] !== undefined }
    start = cut.index + cut[0].length
  }
  return [...pieces, { text: request.slice(start), ...next }]
}

/** Same length, with everything that must not be cut blanked out. */
const mask = (text: string): string => text.replace(cue('uncut', 'g'), (match) => '\u0001'.repeat(match.length))

/** Sends each clause of a request to an intent: by a sure rule, or else by a weak one. */
export function route(request: string, scene: Scene): Clause[] {
  const clauses = splitClauses(request, scene)
  return (clauses.length > 0 ? clauses : [{ text: request }]).map(({ text, best }: Clause) => ({
    text,
    best: best ?? bestMatch(text, scene),
  }))
}

export const isUsable = (intent: Intent, scene: Scene): boolean =>
  intent.tools.length === 0 || intent.tools.some((tool) => scene.tools.has(tool))
