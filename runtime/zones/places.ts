import { isTimeZone } from '../time.ts'
import places from './places.json' with { type: 'json' }

/** Places and abbreviations that are not in the name of an IANA zone, by zone. */
const ALIASES = new Map(
  Object.entries(places).flatMap(([zone, names]) => names.split('|').map((name): [string, string] => [name, zone])),
)

/** The IANA zone of a place, given as a zone name, a city or a common name. Undefined if unknown. */
export function zoneOf(place: string): string | undefined {
  const name = place
    .trim()
    .toLowerCase()
    .replace(/^the /, '')
    .replace(/(?<![?!.,])[?!.,]+$/, '')
  return ALIASES.get(name) ?? cities().get(name.replace(/[\s-]+/g, '_')) ?? ownName(place.trim())
}

function ownName(name: string): string | undefined {
  return /^[A-Za-z]+(?:\/[A-Za-z_+-]+\d*)+$/.test(name) && isTimeZone(name) ? name : undefined
}

function cities(): Map<string, string> {
  const zones = Intl.supportedValuesOf('timeZone')
  return new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf('/') + 1).toLowerCase(), zone]))
}
