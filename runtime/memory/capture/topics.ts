import { stopWords } from '../stop-words.ts'
import { stem, wordsOf } from '../words.ts'

const mostTopics = 5
const longest = 40

/** Words that are in every conversation and name no subject. */
const weak = new Set(
  `ask call come find give go help keep know let like look love make mean need prefer put remember say see show start
  take talk tell thing think time today tomorrow try turn use want way week work write year yesterday yes ok okay
  hello hi thanks thank good great new old big small many much first last one two three always never favourite favorite
  really maybe`
    .split(/\s+/)
    .map(stem),
)

interface Word {
  form: string
  count: number
  name: boolean
  place: number
}

/**
 * Up to five words that an exchange is about, in small letters: names first, then what is said most often. Words of
 * the answer only confirm those of the person.
 */
export function topicsOf(said: string, reply: string): string[] {
  const words = new Map<string, Word>()
  wordsOf(said).forEach((form, place) => {
    const small = form.toLowerCase()
    if (!isTopic(small)) return
    const word = words.get(stem(small)) ?? { form: small, count: 0, name: false, place }
    // The first word of a text is written large in any case.
    const name = word.name || (place > 0 && /^\p{Lu}/u.test(form))
    words.set(stem(small), { ...word, count: word.count + 2, name })
  })
  for (const key of new Set(wordsOf(reply).map((word) => stem(word.toLowerCase())))) {
    const word = words.get(key)
    if (word) words.set(key, { ...word, count: word.count + 1 })
  }
  return [...words.values()]
    .sort(byWeight)
    .slice(0, mostTopics)
    .map(({ form }) => form)
}

const isTopic = (word: string) =>
  word.length > 2 &&
  word.length <= longest &&
  !/^\d/.test(word) &&
  !stopWords.has(word) &&
  !weak.has(stem(word))

const byWeight = (left: Word, right: Word) =>
  Number(right.name) - Number(left.name) || right.count - left.count || left.place - right.place
