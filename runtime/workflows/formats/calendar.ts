import { permanentError } from '../node-type.ts'

/** iCalendar (RFC 5545): its events, as far as people use them. */
export interface CalendarEvent {
  uid?: string
  title?: string
  description?: string
  location?: string
  /** ISO 8601: with `Z` or an offset, local as `2026-01-05T09:00:00`, or a date alone. */
  start?: string
  end?: string
  /** Of local times. */
  zone?: string
  all_day?: boolean
  status?: string
  url?: string
  recurrence?: string
  categories?: string[]
  organizer?: string
  attendees?: string[]
}

const maxEvents = 10_000

/** The events of a calendar file. Throws `NodeError` if it is none. */
export function calendarEvents(text: string): CalendarEvent[] {
  // A line that begins with a space continues the one before it.
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
  if (!/^BEGIN:VCALENDAR\s*$/i.test(lines[0] ?? ''))
    throw permanentError('invalid_calendar', 'It is not a calendar file')
  const events: CalendarEvent[] = []
  let event: CalendarEvent | null = null
  let inner = 0
  for (const line of lines) {
    const { name, parameters, value } = propertyOf(line)
    if (name === 'BEGIN' && value.toUpperCase() === 'VEVENT') event = {}
    // An alarm within an event has properties of the same names.
    else if (name === 'BEGIN' && event) inner += 1
    else if (name === 'END' && inner > 0) inner -= 1
    else if (name === 'END' && event) {
      events.push(event)
      event = null
      if (events.length > maxEvents) throw permanentError('too_large', `The calendar has more than ${maxEvents} events`)
    } else if (event && inner === 0) addTo(event, { name, parameters, value })
  }
  return events
}

interface Property {
  name: string
  parameters: Record<string, string>
  value: string
}

/** The value begins after the first colon outside quotes. Reading takes linear time. */
function propertyOf(line: string): Property {
  let end = 0
  for (let isQuoted = false; end < line.length && (isQuoted || line[end] !== ':'); end += 1)
    if (line[end] === '"') isQuoted = !isQuoted
  const [name = '', ...rest] = line.slice(0, end).split(';')
  const parameters = rest.map((parameter) => {
    const at = parameter.indexOf('=')
    return [parameter.slice(0, Math.max(at, 0)).toUpperCase(), parameter.slice(at + 1).replace(/^"|"$/g, '')]
  })
  return { name: name.toUpperCase(), parameters: Object.fromEntries(parameters), value: line.slice(end + 1) }
}

const unescaped = (text: string): string =>
  text.replace(/\\([nN,;\\])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character))

const texts = {
  UID: 'uid',
  SUMMARY: 'title',
  DESCRIPTION: 'description',
  LOCATION: 'location',
  STATUS: 'status',
  URL: 'url',
  RRULE: 'recurrence',
} as const

function addTo(event: CalendarEvent, { name, parameters, value }: Property): void {
  const field = Object.hasOwn(texts, name) ? texts[name as keyof typeof texts] : undefined
  if (field) event[field] = unescaped(value)
  else if (name === 'DTSTART' || name === 'DTEND') {
    event[name === 'DTSTART' ? 'start' : 'end'] = isoOf(value)
    if (parameters.TZID) event.zone = parameters.TZID
    if (name === 'DTSTART') event.all_day = /^\d{8}$/.test(value.trim())
  } else if (name === 'CATEGORIES') event.categories = value.split(/(?<!\\),/).map(unescaped)
  else if (name === 'ORGANIZER') event.organizer = value.replace(/^mailto:/i, '')
  else if (name === 'ATTENDEE') {
    event.attendees ??= []
    event.attendees.push(value.replace(/^mailto:/i, ''))
  }
}

function isoOf(value: string): string {
  const [, year, month, day, hour, minute, second, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?/.exec(value.trim()) ?? []
  if (year === undefined) return value.trim()
  const date = `${year}-${month}-${day}`
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second ?? '00'}${utc ?? ''}`
}

/** A calendar file with these events. `now` is the time of its making. */
export function calendarText(
  events: readonly CalendarEvent[],
  { now, uid }: { now: string; uid: () => string },
): string {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//hearthd//workflows//EN', 'CALSCALE:GREGORIAN']
  for (const event of events) {
    lines.push('BEGIN:VEVENT', `UID:${escaped(event.uid || uid())}`, `DTSTAMP:${stampOf(now)}`)
    if (!event.start) throw permanentError('invalid_params', 'An event needs a start')
    lines.push(timeLine('DTSTART', event.start, event))
    if (event.end) lines.push(timeLine('DTEND', event.end, event))
    for (const [name, field] of Object.entries(texts)) {
      const value = event[field]
      if (name === 'UID' || !value) continue
      lines.push(`${name}:${name === 'RRULE' || name === 'URL' ? value.replace(/[\r\n]/g, '') : escaped(value)}`)
    }
    if (event.categories?.length) lines.push(`CATEGORIES:${event.categories.map(escaped).join(',')}`)
    if (event.organizer) lines.push(`ORGANIZER:${addressOf(event.organizer)}`)
    for (const attendee of event.attendees ?? []) lines.push(`ATTENDEE:${addressOf(attendee)}`)
    lines.push('END:VEVENT')
  }
  return `${[...lines, 'END:VCALENDAR'].map(folded).join('\r\n')}\r\n`
}

const escaped = (text: string): string => text.replace(/[\\;,]/g, '\\$&').replace(/\r?\n|\r/g, '\\n')
const addressOf = (text: string): string => `mailto:${text.replace(/[\r\n]/g, '')}`

function timeLine(name: string, value: string, { all_day, zone }: CalendarEvent): string {
  if (all_day || /^\d{4}-\d\d-\d\d$/.test(value)) return `${name};VALUE=DATE:${dateOf(value)}`
  if (/(?:Z|[+-]\d\d:?\d\d)$/i.test(value)) return `${name}:${stampOf(value)}`
  const local = value.slice(0, 19).replace(/[-:]/g, '')
  const time = local.length === 13 ? `${local}00` : local
  if (!/^\d{8}T\d{6}$/.test(time)) throw permanentError('invalid_params', `${value} is not an ISO 8601 time`)
  return zone ? `${name};TZID=${zone.replace(/[^\w/+-]/g, '')}:${time}` : `${name}:${time}`
}

function stampOf(value: string): string {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw permanentError('invalid_params', `${value} is not an ISO 8601 time`)
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

function dateOf(value: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(value) ?? []
  if (year === undefined) throw permanentError('invalid_params', `${value} is not an ISO 8601 date`)
  return `${year}${month}${day}`
}

/** A line has at most 75 bytes; characters are not split. */
function folded(line: string): string {
  const pieces: string[] = []
  let piece = ''
  let size = 0
  const encoder = new TextEncoder()
  for (const character of line) {
    const bytes = encoder.encode(character).byteLength
    if (size + bytes > 74) {
      pieces.push(piece)
      piece = ''
      size = 0
    }
    piece += character
    size += bytes
  }
  return [...pieces, piece].join('\r\n ')
}
