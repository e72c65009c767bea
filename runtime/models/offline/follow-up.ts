import { calculate } from './calculate.ts'
import { bestMatch, isSure } from './match.ts'
import type { Scene } from './types.ts'

const FOLLOW_UP =
  /^[¿¡\s]*(?:(?:and|but|what about|how about|und|et|y|e|en|ed) (?<more>\S.*)|那么?(?<zh>.+?)呢|(?<ja>.+?)は)[?？!.\s]*$/isu
const OPERATION = /^(?:plus|minus|times|multiplied by|divided by|[-+*/×÷])\s*[\d(]/i
const WHEN = /^(?:next|last|this) year$/i
const PREPOSITION =
  / (?:of|in|for|to|until|is|von|für|bis|auf|de|à|pour|en|para|hasta|a|di|per|em|até|van|tot|naar) /gi
/** In characters and messages. */
const [SHORT, MAX_DEPTH] = [80, 4]

/** The whole request that "and in Paris?" stands for after "what time is it in Rome?"; otherwise the request itself. */
export function completed(request: string, earlier: readonly string[], scene: Scene): string {
  const { more, zh, ja } = FOLLOW_UP.exec(request)?.groups ?? {}
  const part = (more ?? zh ?? ja ?? request).replace(/[?？!.\s]{1,9}$/, '')
  const last = earlier.at(-1)
  if (last === undefined || request.length > SHORT || last.length > 2 * SHORT) return request
  if (!(more ?? zh ?? ja) && !OPERATION.test(part)) return request
  const before = completed(last, earlier.slice(-MAX_DEPTH, -1), scene).replace(/[?？!.\s]{1,9}$/, '')
  const meant = bestMatch(before, scene)
  if (!isSure(meant) || (isSure(bestMatch(request, scene)) && !more)) return request
  const found = readings(part, before).find((reading) => {
    const match = bestMatch(reading, scene)
    return isSure(match) && match.intent === meant.intent && match.match.slots.kind === meant.match.slots.kind
  })
  return found ?? (more && isSure(bestMatch(more, scene)) ? more : request)
}

/** "in Paris" replaces what the same preposition led to; without one, the part replaces what the last one led to. */
function readings(part: string, before: string): string[] {
  if (WHEN.test(part)) return [`${before} ${part}`]
  const amount = /^[\d.,]+ ?%?$/.exec(part)?.[0]
  if (amount)
    return [before.replace(amount.endsWith('%') ? /[\d.,]{1,20} ?%/ : /\d[\d.,]{0,20}(?![\d.,]| ?%)/, amount)]
  const result = OPERATION.test(part) ? calculate(before) : null
  if (result) return result.ok ? [`(${result.read}) ${part}`] : []
  const cuts = [...before.matchAll(PREPOSITION)].reverse()
  const same = cuts.filter(([preposition]) =>
    part.toLowerCase().startsWith(`${preposition.trim().toLowerCase()} `),
  )
  if (same.length > 0) return same.map(({ index }) => `${before.slice(0, index)} ${part}`)
  return cuts.map(({ 0: preposition, index }) => `${before.slice(0, index)}${preposition}${part}`)
}
