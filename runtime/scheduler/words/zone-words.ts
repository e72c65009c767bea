import { isTimeZone } from '../../time.ts'
import { zoneOf } from '../../zones.ts'
import type { Draft, Notes } from './draft.ts'

const abbreviations: Record<string, string> = {
  est: 'America/New_York',
  edt: 'America/New_York',
  et: 'America/New_York',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  ct: 'America/Chicago',
  mst: 'America/Denver',
  mdt: 'America/Denver',
  mt: 'America/Denver',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  pt: 'America/Los_Angeles',
  cet: 'Europe/Berlin',
  cest: 'Europe/Berlin',
  mez: 'Europe/Berlin',
  mesz: 'Europe/Berlin',
  bst: 'Europe/London',
  eet: 'Europe/Athens',
  eest: 'Europe/Athens',
  ist: 'Asia/Kolkata',
  jst: 'Asia/Tokyo',
  aest: 'Australia/Sydney',
  aedt: 'Australia/Sydney',
}

const abbreviated = new RegExp(`(?<=[\\d}mnht] ?)\\b(${Object.keys(abbreviations).join('|')})\\b(?! ?\\+)`)
const offset = /\b(?:utc|gmt) ?([+-])(\d{1,2})(?::?(\d\d))?\b/
const universal = /\b(?:utc|gmt|zulu)(?: time)?\b/
const named = /\(?\b((?:[a-z]+)\/[a-z_]+(?:\/[a-z_]+|[+-]\d{1,2})?)(?: (?:local )?time(?: ?zone)?)?\)?/
const places = [
  /\(?\b(?:in )?((?:[\p{L}.']+ ){0,2}[\p{L}.']+) (?:local )?time(?: ?zone)?\)?/u,
  /\bin ((?:[\p{L}.']+ ){0,2}[\p{L}.']+)$/u,
]

/** Takes the time zone: "at 9 Berlin time", "9am PST", "08:00 Europe/Berlin". */
export function takeZone(draft: Draft, notes: Notes): string | null {
  return (
    takeNamed(draft) ?? takeOffset(draft, notes) ?? takeAbbreviated(draft, notes) ?? takePlace(draft, notes)
  )
}

function takeNamed(draft: Draft): string | null {
  const name = named.exec(draft.text)?.[1]
  const zone = name === undefined ? null : zoneNamed(name)
  if (zone) draft.take(named)
  return zone
}

function zoneNamed(name: string): string | null {
  if (!isTimeZone(name)) return null
  const listed = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name)
  // Newer names than this runtime lists, such as Asia/Kolkata, stay what the person wrote.
  const titled = name.replace(/(?<=^|[/_])\p{L}/gu, (letter) => letter.toUpperCase())
  return listed ?? titled.replace(/gmt|utc/i, (letters) => letters.toUpperCase())
}

function takeOffset(draft: Draft, notes: Notes): string | null {
  const found = draft.take(offset)
  if (!found) return draft.take(universal) ? 'UTC' : null
  const [, sign, hours, minutes = '00'] = found
  const wanted = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`
  if (minutes !== '00' || !isTimeZone(wanted)) {
    notes.assume(`${found[0].toUpperCase()} names no zone; your own is used`)
    return null
  }
  notes.warn(`${found[0].toUpperCase()} is always that far from UTC: it knows no summer time`)
  return wanted
}

function takeAbbreviated(draft: Draft, notes: Notes): string | null {
  const found = draft.take(abbreviated)
  const zone = abbreviations[found?.[1] ?? ''] ?? null
  if (zone) notes.warn(`${found?.[1]?.toUpperCase()} is taken as ${zone}, with its summer time`)
  return zone
}

function takePlace(draft: Draft, notes: Notes): string | null {
  for (const pattern of places) {
    const found = pattern.exec(draft.text)
    const words = found?.[1]?.split(' ') ?? []
    for (let from = 0; from < words.length; from += 1) {
      const place = words.slice(from).join(' ')
      const zone = zoneOf(place)
      if (!zone || /^(?:the|may|march)$/.test(place)) continue
      draft.take(
        new RegExp(
          `\\(?(?:\\bin )?\\b${place.replace(/[.]/g, '\\.')}(?: (?:local )?time(?: ?zone)?)?\\)?`,
          'u',
        ),
      )
      return zone
    }
  }
  const unknown = /(?<=\d|[ap]m|noon|midnight) (?!local|this|that|any|same|the|lunch)(\p{L}+) time\b/u.exec(
    draft.text,
  )
  if (!unknown) return null
  draft.take(new RegExp(`${unknown[1]} time`, 'u'))
  notes.assume(`The time zone of ${unknown[1]} is not known here; your own is used`)
  return null
}
