/** Words with which an agent says that it will come back, in the languages that models mostly answer in. */
const promises: readonly RegExp[] = [
  /\bI(?:'|’)?(?:ll| will| am going to) (?:check|look|report|get|come|follow|circle|ping)(?: you)? (?:back|again|in|up)\b/i,
  /\bI(?:'|’)?(?:ll| will) (?:let you know|keep you posted|update you|notify you|monitor|keep (?:an eye|watching))\b/i,
  /\bI(?:'|’)?(?:m| am) (?:still )?(?:waiting (?:for|on)|monitoring)\b/i,
  /\b(?:check|checking) back (?:in|later|soon|when)\b/i,
  /\bich (?:melde mich|warte (?:noch )?auf|schaue (?:später|gleich) (?:noch ?mal|wieder))\b/i,
  /\bje (?:reviens vers vous|vous tiens au courant|surveille)\b/i,
  /\b(?:te|le) (?:aviso|mantendré)\b/i,
]

/** The sentence in which an answer says that it waits, or null. A question to the person is not waiting. */
export function saysItWaits(answer: string): string | null {
  const sentences = answer.split(/(?<=[.!?])\s+|\n+/).map((sentence) => sentence.trim())
  const found = sentences.findLast((sentence) => promises.some((promise) => promise.test(sentence)))
  return found && !found.endsWith('?') ? found : null
}
