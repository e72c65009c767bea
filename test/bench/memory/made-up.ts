import type { Embedder, EmbeddingModel } from '../../../runtime/ports/embedder.ts'
import { seeded } from '../../faults/random.ts'

const syllables = 'ba de ki lo mu na pe ri so tu va we xi yo za che gla pro sti tra'.split(' ')
const vocabulary = Array.from({ length: 8_000 }, (_, index) =>
  [index % 20, Math.floor(index / 20) % 20, Math.floor(index / 400)].map((at) => syllables[at]).join(''),
)

/** Texts whose words are as unevenly common as those of people (Zipf), the same in every run. */
export function madeUpTexts(seed: number): { text(words: number): string; question(words: number): string } {
  const next = seeded(seed)
  const words = (from: number, count: number) =>
    Array.from(
      { length: count },
      () => vocabulary[Math.floor(from * (vocabulary.length / from) ** next()) - 1] ?? '',
    ).join(' ')
  return {
    text: (count) => words(1, count),
    // The commonest words of a language are stop words, which a search leaves out.
    question: (count) => `What did ${words(stopWords, count)} say?`,
  }
}

const stopWords = 100

const dimensions = 512

/** Vectors as long as the local model's, without its work: texts that share words are alike. */
export const madeUpEmbedder: Embedder = {
  describe: (): EmbeddingModel => ({
    name: 'local/made-up',
    model: 'made-up',
    max_characters: 2_000,
    max_texts: 256,
    scripts: 'any',
    understands_questions: true,
  }),
  embed: async ({ texts }) => texts.map(vectorOf),
  close: async () => undefined,
}

const directions = new Map<string, Float32Array>()

function vectorOf(text: string): Float32Array {
  const sum = new Float32Array(dimensions)
  for (const word of text.split(' ')) {
    const direction = directions.get(word) ?? directionOf(word)
    directions.set(word, direction)
    for (let index = 0; index < dimensions; index += 1)
      sum[index] = (sum[index] as number) + (direction[index] as number)
  }
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}

function directionOf(word: string): Float32Array {
  const next = seeded([...word].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7) % 2 ** 31)
  return Float32Array.from({ length: dimensions }, () => next() - 0.5)
}
