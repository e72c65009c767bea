import { isTimeZone } from '../../time.ts'
import { zoneOf } from '../../zones/places.ts'
import type { Draft, Notes } from './draft.ts'
import { phrase } from './grammar.ts'

/** Takes the time zone: "at 9 Berlin time", "9am PST", "08:00 Europe/Berlin". */
export const takeZone = (draft: Draft, notes: Notes): string | null =>
  takeNamed(draft) ?? takeAbbreviated(draft, notes) ?? takePlace(draft, notes)

function takeNamed(draft: Draft): string | null {
  const name = phrase('zone_name').exec(draft.text)?.[1]
  if (name === undefined || !isTimeZone(name)) return null
  draft.take(phrase('zone_name'))
  const listed = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name)
  // Names newer than this runtime's list, such as Asia/Kolkata, stay as the person wrote them.
  return listed ?? name.replace(/gmt|utc|(?<=^|[/_])\p{L}/gu, (letters) => letters.toUpperCase())
}

function takeAbbreviated(draft: Draft, notes: Notes): string | null {
  // An offset such as UTC+2 stays, so that it is refused: it is no zone, and knows no summer time.
  if (draft.take(phrase('zone_utc'))) return 'UTC'
  const name = draft.take(phrase('zone_short'))?.[1] ?? ''
  const zone = zoneOf(name) ?? null
  if (zone) notes.warn(`${name.toUpperCase()} is taken as ${zone}, with its summer time`)
  return zone
}

function takePlace(draft: Draft, notes: Notes): string | null {
  for (const pattern of [phrase('place_time'), phrase('in_place')]) {
    const words = pattern.exec(draft.text)?.[1]?.split(' ') ?? []
    for (const from of words.keys()) {
      const name = words.slice(from).join(' ')
      const zone = zoneOf(name)
      if (!zone || /^(?:the|may|march)$/.test(name)) continue
      const place = name.replaceAll('.', '\\.')
      draft.take(new RegExp(`\\(?(?:\\bin )?\\b${place}${phrase('time_of').source}?\\)?`, 'u'))
      return zone
    }
  }
  const unknown = draft.take(phrase('other_place'))?.[1]
  if (unknown) notes.assume(`The time zone of ${unknown} is unknown; your own is used`)
  return null
}
