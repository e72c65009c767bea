import { stem } from '../../english/stem.ts'
import { VERBS } from '../../english/text.ts'
import { coverage, keywordsOf, sentencesOf, stopWords, wordsOf } from '../../english/words.ts'
import { clamp } from '../../numbers.ts'

// Which exchanges are worth keeping, and which parts of them. English rules; other languages pass most of
// them.

/** Fillers that only keep a conversation going. */
const courtesies = keywordsOf(
  `hello hi hey hiya howdy thanks thank thx cheers ok okay yes yeah yep no nope sure great cool nice perfect good fine
  awesome bye goodbye morning afternoon evening night day welcome sorry please continue go next stop wait done lol haha test
  ping`,
)

const firstPerson = /\b(i|i'm|i've|i'll|i'd|my|mine|we|we're|we've|we'll|our|ours)\b/i
const askedToRemember =
  /\b(remember|don'?t forget|never forget|note that|keep in mind|from now on|for the record|fyi)\b/i

/** Words as alternatives of a pattern. */
const anyOf = (words: string): string => words.split(/\s+/).join('|')

/** The start of a question or a polite request. */
const asks = new RegExp(
  `^\\W*(?:${anyOf(`please can could would will do does did is are was were am should shall may what what's when where who whom
  whose why which how`)})\\b`,
  'i',
)

/** The first two words of a sentence, after interjections. */
const opening = /^\W*(?:(?:please|ok|okay|hey|now|then|also|and|so|just)\W+)*(\p{L}+)(?:\s+([\p{L}\d]+))?/iu
/** Verbs that start a request whatever follows. */
const requestVerbs = new Set(
  `add analyse analyze calculate cancel compose compute convert copy define delete describe explain fetch forget generate
  give improve proofread recommend remind remove rename rewrite schedule search show suggest summarise summarize tell
  translate write`.split(/\s+/),
)
/**
 * After another verb, these distinguish a request (`order the parts`) from a statement (`order 1115 has
 * arrived`).
 */
const objectStart = new RegExp(
  `^(?:${anyOf(`a an the this that these those my our your his her their me us it them him all some any every each another one two
  three four five ten more both`)})$`,
  'i',
)

const sentenceEnd = /(?<=[.!?])\s+|\n+/

/** What makes the verb after it a request: `could you book`, `I want you to list`. */
const politeLead =
  /^\W*(?:(?:can|could|would|will) you|(?:i|we) (?:want|need|would like) you to|(?:i|we)['’]d like you to) (?:please )?/i
/** `I need a recipe` asks for a text; `I need a wheelchair` is a fact. */
const wantedText = new RegExp(
  `^\\W*(?:i|we) (?:want|need|would like) (?:an?|the|some|another) (?:\\p{L}+ )?(?:${anyOf(`answer explanation help idea joke
  letter list overview poem recipe story summary table template translation`)})s?\\b`,
  'iu',
)
/** Whether a sentence asks for something to be done. */
export function isRequest(sentence: string): boolean {
  if (wantedText.test(sentence)) return true
  const said = sentence.replace(politeLead, '')
  const [, verb = '', next = ''] = opening.exec(said) ?? []
  const word = verb.toLowerCase()
  return requestVerbs.has(word) || (isTaskVerb(word) && (said !== sentence || objectStart.test(next)))
}

const isTaskVerb = (word: string) => VERBS.has(word) || moreTaskVerbs.has(word)
const moreTaskVerbs = new Set(['lower', 'raise', 'remind', 'help', 'wake'])

/** Questions whose answers are true only for a moment, or small talk. */
const errand = new RegExp(
  String.raw`^\W*((hey|ok|please|can you|could you|tell me|show me|give me|say|what(?:'s| is| are| was)?|how(?:'s| is)?)\W+)*` +
    String.raw`((the|a|me|current|today'?s|it|my|right|now|is)\W+)*` +
    `(${anyOf('time date day weather temperature forecast news headlines joke ping timer alarm')})\\b`,
  'i',
)
const arithmetic = /^(what'?s|what is|calculate|compute|how much is)?[\d\s+\-*/×÷^%().,=?]+$/i

/** Minimum keywords of a question that is worth keeping, and maximum keywords of an errand. */
const minKeywords = 3
const errandKeywords = 4

/** Whether the person states a fact about themselves or asks to remember one. */
export const statesFact = (said: string): boolean =>
  askedToRemember.test(said) ||
  sentencesOf(said).some(
    (sentence) =>
      firstPerson.test(sentence) && !asks.test(sentence) && !isRequest(sentence) && !/\?\s*$/.test(sentence),
  )

/**
 * Whether an exchange is worth keeping: not greetings, commands, requests, small talk, questions about the
 * moment, or messages without a reply.
 */
export function worthKeeping(said: string, reply: string): boolean {
  const text = said.trim()
  if (text === '' || reply.trim() === '' || text.startsWith('/') || arithmetic.test(text)) return false
  const words = [...keywordsOf(text)].filter((word) => !courtesies.has(word))
  if (words.length === 0) return false
  if (words.length <= errandKeywords && errand.test(text)) return false
  return statesFact(text) || (words.length >= minKeywords && !text.split(sentenceEnd).every(isRequest))
}

/** Each rule that matches adds its share to `baseImportance`. */
const importanceRules: readonly (readonly [RegExp, number])[] = [
  [/\b(remember|don'?t forget|never forget|keep in mind|note that|from now on)\b/i, 0.3],
  [/\b(important|urgent|critical|deadline|due (on|by)|allergic|allergy|emergency|birthday|anniversary)\b/i, 0.15],
  [/\b(always|never|prefer|favou?rite|hate|love|decided|agreed|promised)\b/i, 0.1],
  // A date, a time or an amount; a name in the middle of a sentence.
  [/\d|\b(january|february|march|april|june|july|august|september|october|november|december)\b/i, 0.05],
  [/[\p{Ll},] \p{Lu}\p{Ll}+/u, 0.05],
]

const baseImportance = 0.35
const factImportance = 0.15
const questionImportance = -0.1

/** The importance of what a person said, 0.1 to 0.95. */
export function importanceOf(said: string): number {
  const shares = importanceRules.map(([pattern, share]) => (pattern.test(said) ? share : 0))
  const sum =
    shares.reduce((total, share) => total + share, baseImportance) +
    (statesFact(said) ? factImportance : questionImportance)
  return Math.round(clamp(sum, 0.1, 0.95) * 100) / 100
}

const maxTopics = 5
const maxTopicLength = 40

/** Words that occur in every conversation and name no subject. */
const commonWords = new Set(
  `ask call come find give go help keep know let like look love make mean need prefer put remember say see show start
  take talk tell thing think time today tomorrow try turn use want way week work write year yesterday yes ok okay
  hello hi thanks thank good great new old big small many much first last one two three always never favourite favorite
  really maybe`
    .split(/\s+/)
    .map(stem),
)

interface Topic {
  form: string
  count: number
  name: boolean
  place: number
}

/**
 * Up to five topics of an exchange in lower case: names first, then the most frequent words of the person.
 */
export function topicsOf(said: string, reply: string): string[] {
  const topics = new Map<string, Topic>()
  wordsOf(said).forEach((form, place) => {
    const lower = form.toLowerCase()
    if (!isTopic(lower)) return
    const topic = topics.get(stem(lower)) ?? { form: lower, count: 0, name: false, place }
    // The first word of a text is capitalized anyway.
    const name = topic.name || (place > 0 && /^\p{Lu}/u.test(form))
    topics.set(stem(lower), { ...topic, count: topic.count + 2, name })
  })
  // Words of the reply only add weight to those of the person.
  for (const key of new Set(wordsOf(reply).map((word) => stem(word.toLowerCase())))) {
    const topic = topics.get(key)
    if (topic) topics.set(key, { ...topic, count: topic.count + 1 })
  }
  return [...topics.values()]
    .sort(byWeight)
    .slice(0, maxTopics)
    .map(({ form }) => form)
}

const isTopic = (word: string) =>
  word.length > 2 &&
  word.length <= maxTopicLength &&
  !/^\d/.test(word) &&
  !stopWords.has(word) &&
  !commonWords.has(stem(word))

const byWeight = (left: Topic, right: Topic) =>
  Number(right.name) - Number(left.name) || right.count - left.count || left.place - right.place

/** Lines of a code block that is kept, because the conversation may be about it. */
const maxCodeLines = 12
/** This many machine-written lines in a row are output. */
const minOutputLines = 8

const fence = /`{3,}|~{3,}/

/** JSON, stack frames, log lines, table rows and raw data. */
const machineWritten = [
  /^\s*[{}[\]"],?/,
  /^\s*"[^"]*"\s*:/,
  /^\s*at\s.+[(:]/,
  /^\s*File ".+", line \d+/,
  /^\W*\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/,
  /^\s*(\||\+[-+=]{3})/,
  /^\s*<\/?[a-z][^>]*>/i,
  /^\S{60,}$/,
  /^([^,\s]+[,;\t]){3,}/,
]

/** Replaces long code, logs, tables and JSON in a text with a note such as `[40 lines of output]`. */
export function withoutOutput(text: string): string {
  const kept: string[] = []
  let run: string[] = []
  const flush = () => {
    if (run.length >= minOutputLines) kept.push(`[${run.length} lines of output]`)
    else kept.push(...run)
    run = []
  }
  for (const line of withoutLongCode(text.split('\n'))) {
    if (isOutput(line)) run.push(line)
    else {
      flush()
      kept.push(line)
    }
  }
  flush()
  return kept.join('\n')
}

function withoutLongCode(lines: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const opened = fence.exec(line)
    const end = opened ? lines.findIndex((other, at) => at > index && other.startsWith(opened[0])) : index
    const code = (end < 0 ? lines.length : end) - index - 1
    if (!opened || code <= maxCodeLines) kept.push(...lines.slice(index, index + Math.max(code, 0) + 1))
    else kept.push(`${line.slice(0, opened.index)}[${code} lines of code]`)
    if (opened) index += code + (code > maxCodeLines ? 1 : 0)
  }
  return kept
}

const isOutput = (line: string) => machineWritten.some((pattern) => pattern.test(line)) || isMostlySymbols(line)

function isMostlySymbols(line: string): boolean {
  const text = line.trim()
  if (text.length < 16) return false
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters / text.length < 0.55
}

/** The share of a sentence's keywords that one memory must contain for the sentence to repeat it. */
const repeatedShare = 0.75
const minRepeatedWords = 2

/** A reply without the sentences that only repeat recalled memories, so that these are not stored again. */
export function withoutRecalled(text: string, recalled: readonly string[]): string {
  if (recalled.length === 0) return text
  const keywords = recalled.map(keywordsOf)
  const fresh = sentencesOf(text).filter((sentence) => {
    const words = keywordsOf(sentence.replace(/\[?\bep_[0-9a-z]+\b\]?/g, ''))
    if (words.size === 0) return true
    return words.size < minRepeatedWords || !keywords.some((memory) => coverage(words, memory) >= repeatedShare)
  })
  const said = fresh.join('').trim()
  return keywordsOf(said).size === 0 ? '' : said
}
