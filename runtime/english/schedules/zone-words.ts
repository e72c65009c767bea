import { isTimeZone } from '../../time.ts'
import { zoneOf } from '../../zones/places.ts'
import type { Draft, Notes } from './draft.ts'
import { phrase } from './grammar.ts'

/** Takes the time zone: "at 9 Berlin time", "9am PST", "08:00 Europe/Berlin". */
export const takeZone = (draft: Draft, notes: Notes): string | null =>
  takeNamed(draft) ?? takeOffset(draft, notes) ?? takeAbbreviated(draft, notes) ?? takePlace(draft, notes)

function takeNamed(draft: Draft): string | null {
  const name = phrase('zone_name').exec(draft.text)?.[1]
  if (name === undefined || !isTimeZone(name)) return null
  draft.take(phrase('zone_name'))
  const listed = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name)
  // Names newer than this runtime's list, such as Asia/Kolkata, stay as the person wrote them.
  return listed ?? name.replace(/gmt|utc|(?<=^|[/_])\p{L}/gu, (letters) => letters.toUpperCase())
}

function takeOffset(draft: Draft, notes: Notes): string | null {
  const offset = draft.take(phrase('zone_offset'))
  if (!offset) return draft.take(phrase('zone_utc')) ? 'UTC' : null
  const [text, sign, hours, minutes = '00'] = offset
  const zone = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`
  if (minutes !== '00' || !isTimeZone(zone))
    return notes.assume(`${text.toUpperCase()} names no zone; your own is used`, null)
  notes.warn(`${text.toUpperCase()} is always that far from UTC: it knows no summer time`)
  return zone
}

function takeAbbreviated(draft: Draft, notes: Notes): string | null {
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
