/** Wraps text from outside for a model: it is data, never an instruction. A closing mark inside it is defused. */
export function wrapUntrusted(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return `<untrusted>\n${text.replace(/<(\/?)untrusted/gi, '&lt;$1untrusted')}\n</untrusted>`
}

const wrapped = /^<untrusted>\n([\s\S]*)\n<\/untrusted>$/

/** What `wrapUntrusted` was given; any other value as it is. */
export function unwrapUntrusted(value: unknown): unknown {
  const inner = typeof value === 'string' ? wrapped.exec(value)?.[1] : undefined
  if (inner === undefined) return value
  const text = restored(inner)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A text without its untrusted blocks, and what stood in them. */
export function separateUntrusted(text: string): { own: string; foreign: string[] } {
  const pieces = text.split(/<\/?untrusted>/)
  return {
    own: pieces.filter((_, index) => index % 2 === 0).join('\n'),
    foreign: pieces.filter((_, index) => index % 2 === 1).map((piece) => restored(piece.trim())),
  }
}

const restored = (text: string): string => text.replace(/&lt;(\/?)untrusted/gi, '<$1untrusted')
