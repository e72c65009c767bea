import { markDays } from './days.ts'
import { markTimes } from './times.ts'

const joint = /\s*(?:;|,)?\s*\b(?:and(?: also)?|plus|as well as|also|then)\b\s*|\s*[;,&]\s*/g
const steps =
  /\b(?:every|each) (?:other |\d+ ?)?(?:seconds?|minutes?|hours?|weeks?|months?|years?)\b|\bevery \d+ days\b|\bevery (?:other )?day at\b|\b(?:hourly|daily|weekly|monthly|yearly)\b/g
const once = /\b(?:tomorrow|today|tonight|next \[|in \d+ (?:minutes?|hours?|days?|weeks?))/

/** Where a sentence may hold two schedules: both halves of each place. Empty when it says one. */
export function partsOf(words: string): [string, string][] {
  if (!mayBeTwo(words)) return []
  return [...words.matchAll(joint)].map(({ 0: join, index }): [string, string] => [
    words.slice(0, index).trim(),
    words.slice(index + join.length).trim(),
  ])
}

/** Times and days in turns: "Monday at 9 and Friday at 17"; or more than one way to count. */
function mayBeTwo(words: string): boolean {
  const marked = markDays(markTimes(words))
  const order = [...marked.matchAll(/[[{]/g)].map(([sign]) => sign).join('')
  const counts = marked.match(steps)?.length ?? 0
  if (/\{\[+\{/.test(order) || counts > 1) return true
  return (
    once.test(marked) &&
    (counts > 0 || /\bevery\b|\*\]/.test(marked)) &&
    !/\b(?:starting|from|beginning)\b/.test(marked)
  )
}
