import { longDay, wallClock } from './clock.ts'
import type { Reference } from './read.ts'

const RELATIVE =
  /\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last) (?:morning|evening|week(?:end)?|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|in (?:\d+|an?|two|three|four|five|six) (?:hours?|days?|weeks?|months?)|(?:\d+|an?|two|three) (?:days?|weeks?|months?) ago|on (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i

/** "Tomorrow" means nothing next week: what is remembered with such a word keeps the day on which it was said. */
export function dated(content: string, reference: Reference): string {
  if (!RELATIVE.test(content)) return content
  return `${content} (said on ${longDay(wallClock(reference.now, reference.timezone))})`
}
