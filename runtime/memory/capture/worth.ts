import { sentencesOf, tellingWords } from '../words.ts'

/** Words that only keep a conversation going. */
const courtesies = tellingWords(
  `hello hi hey hiya howdy thanks thank thx cheers ok okay yes yeah yep no nope sure great cool nice perfect good fine
  awesome bye goodbye morning afternoon evening night day welcome sorry please continue go next stop wait done lol haha
  hallo danke ja nein tschüss hola gracias bonjour merci oui ciao grazie test ping`,
)

/** A person speaks of themselves, or asks to keep something. */
const own = /\b(i|i'm|i've|i'll|i'd|my|mine|we|we're|we've|we'll|our|ours)\b/i
const keep =
  /\b(remember|don'?t forget|never forget|note that|keep in mind|from now on|for the record|fyi)\b/i

/** The beginning of what wants an answer rather than telling something. */
const asks =
  /^\W*(please\b|can|could|would|will|do|does|did|is|are|was|were|am|should|shall|may|what|what's|when|where|who|whom|whose|why|which|how)\b/i

/** What is true for a moment only, or what a calculator knows. */
const errand =
  /^\W*((hey|ok|please|can you|could you|tell me|show me|give me|say|what(?:'s| is| are| was)?|how(?:'s| is)?)\W+)*((the|a|me|current|today'?s|it|my|right|now|is)\W+)*(time|date|day|weather|temperature|forecast|news|headlines|joke|ping|timer|alarm)\b/i
const sum = /^\s*(what'?s|what is|calculate|compute|how much is)?[\d\s+\-*/×÷^%().,=?]+$/i

/** Questions and orders need at least so many telling words to be worth looking for later. */
const fewestWords = 3
const errandWords = 4

/** Whether somebody tells something here, and does not only ask. */
export const tells = (said: string): boolean =>
  keep.test(said) ||
  sentencesOf(said).some((sentence) => own.test(sentence) && !asks.test(sentence) && !/\?\s*$/.test(sentence))

/**
 * Whether an exchange is worth keeping: not greetings and thanks, not commands, not questions for the moment such as
 * the time, and not what has no answer.
 */
export function worthKeeping(said: string, reply: string): boolean {
  const text = said.trim()
  if (text === '' || reply.trim() === '' || text.startsWith('/') || sum.test(text)) return false
  const words = [...tellingWords(text)].filter((word) => !courtesies.has(word))
  if (words.length === 0) return false
  if (words.length <= errandWords && errand.test(text)) return false
  return tells(text) || words.length >= fewestWords
}
