import { stem } from '../../english/stem.ts'
import { stopWords, wordsOf } from '../../english/words.ts'

/** A text and its group. */
export interface Labelled {
  group: number
  content: string
  topics: readonly string[]
  entities: readonly string[]
}

/** Words of a label, and of one whose first words another label has too. */
const labelWords = 3
const maxLabelWords = 6
/** Weights of words, topics and names. */
const weight = { word: 1, topic: 3, entity: 2 }
const minWordLength = 3

interface Term {
  /** Weight by spelling. */
  forms: Map<string, number>
  /** Weight by group. */
  groups: Map<number, number>
}

/** Collects texts one by one, so that the caller can yield in between, and then labels their groups. */
export class Labels {
  readonly #terms = new Map<string, Term>()
  readonly #sizes = new Map<number, number>()
  readonly #taken = new Set<string>()

  add({ group, content, topics, entities }: Labelled): void {
    this.#sizes.set(group, (this.#sizes.get(group) ?? 0) + 1)
    const seen = new Map<string, { form: string; weight: number }>()
    const note = (form: string, value: number) => {
      const key = form.toLowerCase().split(' ').map(stem).join(' ')
      if ((seen.get(key)?.weight ?? 0) < value) seen.set(key, { form, weight: value })
    }
    for (const word of wordsOf(content)) if (isTerm(word)) note(word.toLowerCase(), weight.word)
    for (const name of entities) note(name, weight.entity)
    for (const topic of topics) note(topic, weight.topic)
    for (const [key, one] of seen) this.#count(key, group, one)
  }

  /** The words that distinguish a group from the others. Every label is unique. */
  of(group: number): string {
    const terms = this.#distinctiveTerms(group)
    const longer = terms.map((_, index) => terms.slice(0, labelWords + index).join(', '))
    const name = longer.find((label) => this.#isFree(label)) ?? this.#numbered(longer[0] ?? 'Cluster')
    this.#taken.add(name.toLowerCase())
    return name
  }

  #isFree(label: string): boolean {
    return !this.#taken.has(label.toLowerCase())
  }

  #numbered(label: string): string {
    for (let number = label === 'Cluster' ? 1 : 2; ; number += 1)
      if (this.#isFree(`${label} ${number}`)) return `${label} ${number}`
  }

  /** Terms that are frequent in the group and rare elsewhere, best first. */
  #distinctiveTerms(group: number): string[] {
    const size = this.#sizes.get(group) ?? 1
    const groups = this.#sizes.size
    const scored = [...this.#terms.values()].flatMap((term) => {
      const own = (term.groups.get(group) ?? 0) / size
      if (own === 0) return []
      const everywhere = [...term.groups].reduce((sum, [at, value]) => sum + value / (this.#sizes.get(at) ?? 1), 0)
      return [{ form: readable(term), score: own * Math.log(1 + (groups * own) / everywhere) }]
    })
    scored.sort((left, right) => right.score - left.score || left.form.localeCompare(right.form))
    const chosen: string[] = []
    for (const { form } of scored) {
      if (chosen.length === maxLabelWords) break
      if (!chosen.some((other) => overlaps(other, form))) chosen.push(form)
    }
    return chosen
  }

  #count(key: string, group: number, { form, weight }: { form: string; weight: number }): void {
    const term = this.#terms.get(key) ?? { forms: new Map(), groups: new Map() }
    term.forms.set(form, (term.forms.get(form) ?? 0) + weight)
    term.groups.set(group, (term.groups.get(group) ?? 0) + weight)
    this.#terms.set(key, term)
  }
}

const isTerm = (word: string) =>
  word.length >= minWordLength && !/^\d+$/.test(word) && !stopWords.has(word.toLowerCase())

const readable = ({ forms }: Term): string =>
  [...forms].sort((left, right) => right[1] - left[1] || left[0].localeCompare(right[0]))[0]?.[0] ?? ''

/** `garden` adds nothing to `garden plans`. */
const overlaps = (left: string, right: string) => {
  const [short, long] = [left.toLowerCase(), right.toLowerCase()].sort((a, b) => a.length - b.length)
  return (long ?? '').split(' ').includes(short ?? '')
}
