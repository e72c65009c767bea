import { type Embedder, EmbeddingError } from '../../runtime/ports/embedder.ts'

const dimensions = 128

/**
 * Vectors of the words of a text, each word in a place of its own: texts that share words are alike. It knows nothing
 * of meaning, needs nothing, and answers the same on every machine.
 */
export function createWordEmbedder(): Embedder {
  return {
    describe: (provider, model) =>
      provider === 'local'
        ? {
            name: `local/${model ?? 'words'}`,
            model: model ?? 'words',
            max_characters: 2_000,
            max_texts: 64,
            scripts: 'any',
            understands_questions: true,
          }
        : null,
    async embed({ provider, texts, signal }) {
      signal?.throwIfAborted()
      if (provider !== 'local') throw new EmbeddingError(`There is no embedder ${provider} here`)
      return texts.map(vectorOf)
    },
    close: async () => undefined,
  }
}

/** For hosts without any: search goes by words alone. */
export const noEmbedder: Embedder = {
  describe: () => null,
  async embed({ provider }) {
    throw new EmbeddingError(`There is no embedder ${provider} here`)
  },
  close: async () => undefined,
}

function vectorOf(text: string): Float32Array {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) throw new EmbeddingError('A blank text has no vector')
  const vector = new Float32Array(dimensions)
  for (const word of words) {
    const place = hash(word)
    const index = place % dimensions
    vector[index] = (vector[index] ?? 0) + (place & 0x10000 ? 1 : -1)
  }
  const norm = Math.hypot(...vector) || 1
  return vector.map((value) => value / norm)
}

/** FNV-1a, 32 bits. */
function hash(word: string): number {
  let value = 0x811c9dc5
  for (const character of word) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}
