/** Characters of a text that are hashed; shorter texts are not searched for. */
const length = 8
const base = 0x01000193
const filterSize = 4_096

/** `base` to the power of `length - 1`: the weight of the character that leaves the window. */
const weight = Array.from({ length: length - 1 }).reduce<number>((power) => Math.imul(power, base), 1)

/** Searches for many texts at once, in time linear in the searched text however many they are (Rabin-Karp). */
export class TextSearch {
  readonly #byHash = new Map<number, string[]>()
  /** Whether a hash may be in the map, by its last bits: most characters need no look-up. */
  readonly #filter = new Uint8Array(filterSize)

  /** Adds a text of at least eight characters. */
  add(text: string): void {
    if (text.length < length) return
    let hash = 0
    for (let at = 0; at < length; at += 1) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
    this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), text])
    this.#filter[hash & (filterSize - 1)] = 1
  }

  /** Replaces each stretch that the texts cover; texts may overlap or contain each other. */
  replaceAll(text: string, replacement: string): string {
    let [hash, end] = [0, 0]
    let result = ''
    for (let at = 0; at < text.length && this.#byHash.size > 0; at += 1) {
      if (at >= length) hash = (hash - Math.imul(text.charCodeAt(at - length), weight)) | 0
      hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0
      if (this.#filter[hash & (filterSize - 1)] === 0) continue
      const start = at - length + 1
      for (const one of this.#byHash.get(hash) ?? []) {
        const until = start + one.length
        if (until <= end || !text.startsWith(one, start)) continue
        if (start >= end) result += text.slice(end, start) + replacement
        end = until
      }
    }
    return result + text.slice(end)
  }
}
