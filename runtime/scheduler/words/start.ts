import { Draft } from './draft.ts'
import { readDate } from './moment.ts'
import type { Parts, Scene } from './parts.ts'
import { Refusal } from './reading.ts'
import { markTimes, takeTimes } from './times.ts'

const day = '(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?'
const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*'
const begin = new RegExp(
  `\\b(?:(?:starting|beginning|starts|starting from|as of|counted from)(?: on| from| at)?|from) (?=(?:the )?(?:now|today|tomorrow|next|\\d{4}-|\\d{1,2}(?:st|nd|rd|th)? ${month}|${month}\\.? \\d|${day}(?! ?(?:to|through|thru|until|till|-))))(.+)$`,
)
const beginAt = /\b(?:starting|beginning|starts)(?: at| from)? (?=\d|noon|midnight)/

/** Takes "starting next Monday at 9" out of a draft. "starting at 9" becomes "at 9". */
export async function takeStart(draft: Draft, scene: Scene): Promise<Parts['start']> {
  if (!/every|each|daily|weekly|hourly|monthly/.test(draft.text)) return null
  const found = draft.take(begin)
  if (!found) {
    draft.text = draft.text.replace(beginAt, 'at ')
    return null
  }
  const words = new Draft(markTimes(found[1] ?? ''))
  if (/^now\b/.test(words.text)) return null
  const [time = null] = takeTimes(words, scene.notes).list
  const date = await readDate(words, { ...scene, time: time ?? 86_399 }, scene.notes)
  draft.text = `${draft.text} ${words.text.trim()}`.trim()
  return { date, time }
}

/** Takes "at :15 and :45", "5 minutes past the hour", "on the hour" out of a draft. */
export function takeMinutes(draft: Draft): number[] | null {
  const listed = draft.take(
    /\bat ((?:(?:, | and |, and )?:[0-5]\d)+)(?: (?:past|of) (?:the|each|every) hour)?/,
  )
  if (listed) return [...(listed[1] ?? '').matchAll(/:(\d\d)/g)].map(([, minute]) => Number(minute))
  const named = draft.take(
    /\b(?:at )?minutes? (\d{1,2}(?:(?:, | and |, and )\d{1,2})*)(?: of (?=(?:each|every) hour)| (?:of|past) the hour)?/,
  )
  if (named) return checked([...(named[1] ?? '').matchAll(/\d+/g)].map(Number))
  const past = draft.take(
    /\b(?:at )?(\d{1,2}|quarter|half)(?: minutes?)? (past|after|to|before) (?:the hour|(?=(?:each|every) hour))/,
  )
  if (past) return checked([minuteOf(past[1] ?? '', past[2] ?? '')])
  const hanging = draft.take(/(?<=\bhour |\bhourly )at (\d{1,2}) (?:minutes?|mins?) past$/)
  if (hanging) return checked([Number(hanging[1])])
  return draft.take(/\bon the hour\b/) ? [0] : null
}

function minuteOf(words: string, side: string): number {
  const minute = { quarter: 15, half: 30 }[words] ?? Number(words)
  return /past|after/.test(side) ? minute : 60 - minute
}

function checked(minutes: number[]): number[] {
  if (minutes.some((minute) => minute > 59)) throw new Refusal('An hour has minutes 0 to 59')
  return [...new Set(minutes)].sort((a, b) => a - b)
}

export const takeClock = (draft: Draft): boolean => draft.take(/\bby the clock\b/) !== null
