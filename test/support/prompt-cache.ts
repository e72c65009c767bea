import type { WireRequest } from '../fixtures/wire/index.ts'

/** A request as its vendor caches it: pieces in the order of the prompt, each with whether the client marked its end. */
interface Piece {
  text: string
  marked: boolean
}

/** What a vendor reads first comes first, whatever the order of the members. */
function piecesOf({ body, vendor }: WireRequest): Piece[] {
  const { tools, system, systemInstruction, messages, input, contents } = body as Record<string, unknown>
  const said = [messages, input, contents].find(Array.isArray) ?? []
  const blocks =
    vendor === 'anthropic'
      ? [
          ...(system as object[]),
          ...said.flatMap(({ role, content }) => content.map((part: object) => ({ role, ...part }))),
        ]
      : [...(systemInstruction ? [systemInstruction] : []), ...said]
  const pieces = blocks.map((block: object) => {
    const { cache_control, ...rest } = block as { cache_control?: unknown }
    return { text: JSON.stringify(rest), marked: cache_control !== undefined }
  })
  return [{ text: JSON.stringify(tools ?? null), marked: false }, ...pieces]
}

export interface CacheUse {
  /** About four characters to a token. */
  tokens: number
  cached: number
}

/** Blocks before a mark in which Anthropic looks for what it has cached. */
const lookBack = 20

/**
 * How much of each request of a conversation its vendor has cached from the requests before it. Anthropic caches up to the
 * marks of a request, and reads up to a marked piece what it finds close before it; the others cache what is the same.
 */
export function cacheUse(requests: readonly WireRequest[]): CacheUse[] {
  const stored = new Set<string>()
  return requests.map((request) => {
    const pieces = piecesOf(request)
    const starts = pieces.map((_, index) =>
      pieces
        .slice(0, index + 1)
        .map(({ text }) => text)
        .join('\n'),
    )
    const asksForMarks = request.vendor === 'anthropic'
    const isFound = (index: number): boolean =>
      stored.has(starts[index] ?? '') &&
      (!asksForMarks || pieces.slice(index, index + lookBack).some(({ marked }) => marked))
    const found = starts.findLastIndex((_, index) => isFound(index))
    for (const [index, start] of starts.entries()) if (!asksForMarks || pieces[index]?.marked) stored.add(start)
    const tokens = (text = '') => Math.ceil(text.length / 4)
    return { tokens: tokens(starts.at(-1)), cached: tokens(starts[found]) }
  })
}

/** The share of the input that was cached, from the second request on. */
export function cachedShare(uses: readonly CacheUse[]): number {
  const later = uses.slice(1)
  const sum = (key: keyof CacheUse) => later.reduce((total, use) => total + use[key], 0)
  return sum('cached') / sum('tokens')
}

/** Whether a prompt begins with all of the one before it. */
export function continues(before: WireRequest, request: WireRequest): boolean {
  const pieces = piecesOf(request)
  return piecesOf(before).every(({ text }, index) => pieces[index]?.text === text)
}
