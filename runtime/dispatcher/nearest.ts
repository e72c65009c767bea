import type { Candidate, Intent } from './schema.ts'

/** Similarity of a sentence to one labelled example, 0 to 1. */
export interface Neighbour {
  intent: Intent
  similarity: number
}

/** Neighbours that vote. */
const voters = 5
/** Sharpens the votes: near examples count much more than far ones. */
const sharpness = 3
/** Similarity at which neighbours that agree are right nine times out of ten, by leaving examples out. */
const certain = 0.25

/**
 * The intents of the nearest examples, most likely first. The confidence is the share of the votes, reduced if
 * even the nearest example is far away.
 */
export function vote(neighbours: readonly Neighbour[]): Candidate[] {
  const nearest = neighbours.toSorted((left, right) => right.similarity - left.similarity).slice(0, voters)
  const votes = new Map<Intent, number>()
  let all = 0
  for (const { intent, similarity } of nearest) {
    const weight = Math.max(0, similarity) ** sharpness
    votes.set(intent, (votes.get(intent) ?? 0) + weight)
    all += weight
  }
  if (all === 0) return []
  const closeness = Math.min(1, (nearest[0]?.similarity ?? 0) / certain)
  return [...votes]
    .map(([intent, weight]) => ({ intent, confidence: (weight / all) * closeness }))
    .sort((left, right) => right.confidence - left.confidence)
}

export function cosine(left: Float32Array, right: Float32Array): number {
  let [product, first, second] = [0, 0, 0]
  for (let index = 0; index < left.length; index += 1) {
    const [a, b] = [left[index] ?? 0, right[index] ?? 0]
    product += a * b
    first += a * a
    second += b * b
  }
  return product === 0 ? 0 : product / Math.sqrt(first * second)
}

/** A sparse vector of unit length, by feature. */
export type SparseVector = ReadonlyMap<string, number>

/** Words, pairs of words and letter triples; letter pairs for scripts without spaces. Each with its count. */
function features(text: string): Map<string, number> {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  const found = new Map<string, number>()
  const add = (feature: string, weight: number) => found.set(feature, (found.get(feature) ?? 0) + weight)
  let before = '^'
  for (const each of words) {
    const word = /^\p{N}/u.test(each) ? '#' : each
    add(word, 1)
    add(`${before} ${word}`, 1)
    const size = wide.test(word) ? 2 : 3
    const padded = size === 2 ? word : ` ${word} `
    for (let start = 0; start + size <= padded.length; start += 1)
      add(`~${padded.slice(start, start + size)}`, size === 2 ? 1 : 0.5)
    before = word
  }
  return found
}

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Texts by the words and letters they share with a sentence. Needs no model and reads every script. */
export class WordIndex {
  readonly #rarity = new Map<string, number>()
  /** The weight of a feature in each text that has it. */
  readonly #weights = new Map<string, { at: number; weight: number }[]>()
  #size = 0

  /** `pause` is awaited between texts, so that a long list does not block other requests. */
  static async of(
    texts: readonly string[],
    pause: () => Promise<void> = async () => undefined,
  ): Promise<WordIndex> {
    const index = new WordIndex()
    const documents = new Map<string, number>()
    const counted: Map<string, number>[] = []
    for (const text of texts) {
      const counts = features(text)
      for (const feature of counts.keys()) documents.set(feature, (documents.get(feature) ?? 0) + 1)
      counted.push(counts)
      await pause()
    }
    for (const [feature, count] of documents) index.#rarity.set(feature, Math.log(1 + texts.length / count))
    for (const counts of counted) {
      index.#add(counts)
      await pause()
    }
    return index
  }

  /** Similarity to each text, in their order. */
  similarities(text: string): number[] {
    const sums = new Array<number>(this.#size).fill(0)
    for (const [feature, own] of this.#weigh(features(text)))
      for (const { at, weight } of this.#weights.get(feature) ?? []) sums[at] = (sums[at] ?? 0) + own * weight
    return sums
  }

  #add(counts: ReadonlyMap<string, number>): void {
    for (const [feature, weight] of this.#weigh(counts)) {
      const weights = this.#weights.get(feature)
      if (weights) weights.push({ at: this.#size, weight })
      else this.#weights.set(feature, [{ at: this.#size, weight }])
    }
    this.#size += 1
  }

  #weigh(counts: ReadonlyMap<string, number>): SparseVector {
    const vector = new Map<string, number>()
    let squares = 0
    for (const [feature, count] of counts) {
      const weight = Math.sqrt(count) * (this.#rarity.get(feature) ?? unknownRarity)
      vector.set(feature, weight)
      squares += weight * weight
    }
    const length = Math.sqrt(squares) || 1
    for (const [feature, weight] of vector) vector.set(feature, weight / length)
    return vector
  }
}

/** Words that no example has say little about the intent: they are names and topics. */
const unknownRarity = 0.7
