/** Marks external text as untrusted data for a model. Tags inside the text are escaped. */
export function wrapUntrusted(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return `<untrusted>\n${text.replace(/<(\/?)untrusted/gi, '&lt;$1untrusted')}\n</untrusted>`
}

const wrapped = /^<untrusted>\n([\s\S]*)\n<\/untrusted>$/

/** Reverses `wrapUntrusted`. Returns any other value unchanged. */
export function unwrapUntrusted(value: unknown): unknown {
  const inner = typeof value === 'string' ? wrapped.exec(value)?.[1] : undefined
  if (inner === undefined) return value
  const text = unescapeTags(inner)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Splits a text into its own part and the contents of its untrusted blocks. */
export function separateUntrusted(text: string): { own: string; foreign: string[] } {
  const pieces = text.split(/<\/?untrusted>/)
  return {
    own: pieces.filter((_, index) => index % 2 === 0).join('\n'),
    foreign: pieces.filter((_, index) => index % 2 === 1).map((piece) => unescapeTags(piece.trim())),
  }
}

const unescapeTags = (text: string): string => text.replace(/&lt;(\/?)untrusted/gi, '<$1untrusted')
