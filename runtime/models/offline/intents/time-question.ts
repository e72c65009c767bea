import { longDay, wallClock, zoneOffset } from '../dates/clock.ts'
import { readDates } from '../dates/read.ts'
import { zoneOf } from '../dates/zones.ts'
import { type Intent, matchAny, type Scene, say } from '../types.ts'

const DIFFERENCE: readonly RegExp[] = [
  /^(?:what(?:'s| is) the |the )?time (?:zone )?difference (?:between|from) (?<first>.+?) (?:and|to) (?<second>.+)$/i,
  /^how (?:many hours|far) (?:ahead|behind|apart) (?:is|are) (?<first>.+?) (?:of|from|and) (?<second>.+)$/i,
]
const LATER: readonly RegExp[] = [
  /^what time (?:will it be|is it|was it|will that be)(?: be)? (?<when>in .*\b(?:hours?|minutes?|mins?)|.+\b(?:hours?|minutes?|mins?) (?:ago|from now|later))$/i,
]

export const timeQuestion: Intent = {
  name: 'time_question',
  tools: [],
  examples: ['time difference between Berlin and Tokyo', 'what time will it be in 3 hours'],
  match(text) {
    return matchAny(text, 0.94, DIFFERENCE) ?? matchAny(text, 0.94, LATER)
  },
  async *run({ slots }, scene) {
    const { first, second, when } = slots
    yield say(when ? await later(when, scene) : difference(first ?? '', second ?? '', scene.now))
    return undefined
  },
}

function difference(first: string, second: string, now: number): string {
  const [from, to] = [zoneOf(first), zoneOf(second)]
  if (!from || !to)
    return `I do not know the time zone of "${from ? second : first}". Name a city or a zone such as Europe/Berlin.`
  const minutes = zoneOffset(now, to) - zoneOffset(now, from)
  if (minutes === 0) return `${first} and ${second} have the same time now.`
  const hours = Math.abs(minutes) / 60
  return `${second} is ${hours} ${hours === 1 ? 'hour' : 'hours'} ${minutes > 0 ? 'ahead of' : 'behind'} ${first} now.`
}

async function later(words: string, scene: Scene): Promise<string> {
  const [date] = await readDates(words, scene)
  if (!date) return `I could not read a time in "${words}".`
  const clock = wallClock(date.instant, scene.timezone)
  return `${words}: ${clock.time} on ${longDay(clock)} (${clock.timezone}).`
}
