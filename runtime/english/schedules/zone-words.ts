import { isTimeZone } from '../../time.ts'
import { zoneOf } from '../../zones/places.ts'
import type { Draft, Notes } from './draft.ts'

const abbreviations: readonly (readonly [string, string])[] = [
  ['est edt et', 'America/New_York'],
  ['cst cdt ct', 'America/Chicago'],
  ['mst mdt mt', 'America/Denver'],
  ['pst pdt pt', 'America/Los_Angeles'],
  ['cet cest', 'Europe/Berlin'],
  ['bst', 'Europe/London'],
  ['eet eest', 'Europe/Athens'],
  ['ist', 'Asia/Kolkata'],
  ['jst', 'Asia/Tokyo'],
  ['aest aedt', 'Australia/Sydney'],
]
const names = abbreviations.map(([each]) => each.replaceAll(' ', '|')).join('|')
const abbreviated = new RegExp(`(?<=[\\d}mnht] ?)\\b(${names})\\b(?! ?\\+)`)
const offset = /\b(?:utc|gmt) ?([+-])(\d{1,2})(?::?(\d\d))?\b/
const universal = /\b(?:utc|gmt|zulu)(?: time)?\b/
const named = /\(?\b((?:[a-z]+)\/[a-z_]+(?:\/[a-z_]+|[+-]\d{1,2})?)(?: (?:local )?time(?: ?zone)?)?\)?/
const suffix = '(?: (?:local )?time(?: ?zone)?)'
const place = "(?<![\\p{L}.'])((?:[\\p{L}.']+ ){0,2}[\\p{L}.']+)"
const places = [
  new RegExp(`\\(?(?<!\\p{L})(?:in )?${place}${suffix}\\)?`, 'u'),
  new RegExp(`\\bin ${place}$`, 'u'),
]

/** Takes the time zone: "at 9 Berlin time", "9am PST", "08:00 Europe/Berlin". */
export function takeZone(draft: Draft, notes: Notes): string | null {
  return (
    takeNamed(draft) ?? takeOffset(draft, notes) ?? takeAbbreviated(draft, notes) ?? takePlace(draft, notes)
  )
}

function takeNamed(draft: Draft): string | null {
  const name = named.exec(draft.text)?.[1]
  if (name === undefined || !isTimeZone(name)) return null
  draft.take(named)
  const listed = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name)
  // Names newer than this runtime's list, such as Asia/Kolkata, stay as the person wrote them.
  const titled = name.replace(/(?<=^|[/_])\p{L}/gu, (letter) => letter.toUpperCase())
  return listed ?? titled.replace(/gmt|utc/i, (letters) => letters.toUpperCase())
}

function takeOffset(draft: Draft, notes: Notes): string | null {
  const found = draft.take(offset)
  if (!found) return draft.take(universal) ? 'UTC' : null
  const [text, sign, hours, minutes = '00'] = found
  const wanted = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`
  if (minutes !== '00' || !isTimeZone(wanted))
    return notes.assume(`${text.toUpperCase()} names no zone; your own is used`, null)
  notes.warn(`${text.toUpperCase()} is always that far from UTC: it knows no summer time`)
  return wanted
}

function takeAbbreviated(draft: Draft, notes: Notes): string | null {
  const name = draft.take(abbreviated)?.[1] ?? ''
  const zone = abbreviations.find(([each]) => each.split(' ').includes(name))?.[1] ?? null
  if (zone) notes.warn(`${name.toUpperCase()} is taken as ${zone}, with its summer time`)
  return zone
}

function takePlace(draft: Draft, notes: Notes): string | null {
  for (const pattern of places) {
    const words = pattern.exec(draft.text)?.[1]?.split(' ') ?? []
    for (let from = 0; from < words.length; from += 1) {
      const name = words.slice(from).join(' ')
      const zone = zoneOf(name)
      if (!zone || /^(?:the|may|march)$/.test(name)) continue
      draft.take(new RegExp(`\\(?(?:\\bin )?\\b${name.replaceAll('.', '\\.')}${suffix}?\\)?`, 'u'))
      return zone
    }
  }
  const [, unknown] =
    draft.take(/(?<=\d|[ap]m|noon|midnight) (?!local|this|that|any|same|the|lunch)(\p{L}+) time\b/u) ?? []
  if (unknown) notes.assume(`The time zone of ${unknown} is unknown; your own is used`)
  return null
}
