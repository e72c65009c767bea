import { type Embedder, EmbeddingError } from '../../runtime/ports/embedder.ts'

const dimensions = 128

/**
 * Bag-of-words vectors, with one dimension per word: texts that share words are similar. Deterministic and
 * without dependencies, but ignorant of meaning.
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
      if (provider !== 'local') throw new EmbeddingError(`This host has no embedder ${provider}`)
      return texts.map(vectorOf)
    },
    close: async () => undefined,
  }
}

/** For hosts without an embedder: search uses keywords only. */
export const noEmbedder: Embedder = {
  describe: () => null,
  async embed({ provider }) {
    throw new EmbeddingError(`This host has no embedder ${provider}`)
  },
  close: async () => undefined,
}

function vectorOf(text: string): Float32Array {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  if (words.length === 0) throw new EmbeddingError('Blank text cannot be embedded')
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
