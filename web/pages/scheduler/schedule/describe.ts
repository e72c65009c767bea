import type { Schedule } from '../../../api/scheduler.ts'
import { locale } from '../../../parts/locale.ts'
import { counted } from '../../../parts/numbers.ts'

/** What a schedule says, for people; what no words are known for is shown as it is. */
export function describe(schedule: Schedule): string {
  if (schedule.type === 'every') return interval(schedule.interval)
  if (schedule.type === 'at') return `Once, ${moment(schedule.datetime, schedule.timezone)}`
  const crons = [schedule.expression, ...(schedule.also ?? [])]
  return joined(crons)
}

/** Several expressions that differ only in their time of day are one sentence. */
function joined(crons: readonly string[]): string {
  const read = crons.map(cronWords)
  const [first] = read
  if (!first || read.some((each) => each === null)) return `Cron ${crons.join(' and ')}`
  const known = read.filter((each) => each !== null)
  if (known.every(({ days }) => days === first.days)) {
    return sentence(first.days, known.map(({ times }) => times).join(' and '))
  }
  return known.map(({ days, times }) => sentence(days, times)).join('; ')
}

const sentence = (days: string, times: string) =>
  capital(
    times.startsWith('every') ? `${times}${days === 'every day' ? '' : `, ${days}`}` : `${days} at ${times}`,
  )
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

interface CronWords {
  days: string
  times: string
}

function cronWords(expression: string): CronWords | null {
  const fields = expression.trim().split(/\s+/)
  const [minute = '', hour = '', date = '', month = '', weekday = ''] = fields
  if (fields.length !== 5 || month !== '*') return null
  const days = daysOf(date, weekday)
  const times = timesOf(minute, hour)
  return days === null || times === null ? null : { days, times }
}

function timesOf(minute: string, hour: string): string | null {
  const step = /^\*\/(\d+)$/.exec(minute)?.[1]
  const between = /^(\d+)-(\d+)$/.exec(hour)
  const window = between ? ` from ${clock(between[1], '0')} to ${clock(between[2], '59')}` : ''
  if (minute === '*' && hour === '*') return 'every minute'
  if (step && (hour === '*' || between)) return `every ${step} minutes${window}`
  if (!/^\d+$/.test(minute)) return null
  if (hour === '*') return `every hour at minute ${Number(minute)}`
  if (between) return `every hour from ${clock(between[1], minute)} to ${clock(between[2], minute)}`
  const hours = /^\*\/(\d+)$/.exec(hour)?.[1]
  if (hours) return `every ${hours} hours at minute ${Number(minute)}`
  if (!/^\d+(,\d+)*$/.test(hour)) return null
  return hour
    .split(',')
    .map((each) => clock(each, minute))
    .join(' and ')
}

const clock = (hour = '0', minute: string) => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`

function daysOf(date: string, weekday: string): string | null {
  if (date === '*' && weekday === '*') return 'every day'
  if (date === '*') return weekdaysOf(weekday)
  if (weekday !== '*') return null
  if (date === 'L') return 'on the last day of the month'
  return /^\d+(,\d+)*$/.test(date) ? `on day ${date.replaceAll(',', ' and ')} of the month` : null
}

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const places = ['', 'first', 'second', 'third', 'fourth', 'fifth']

function weekdaysOf(field: string): string | null {
  const numbered = field.replace(/[A-Za-z]{3}/g, (name) => {
    const place = names.findIndex((each) => each.slice(0, 3).toLowerCase() === name.toLowerCase())
    return place < 0 ? name : String(place)
  })
  if (numbered === '1-5' || numbered === '1,2,3,4,5') return 'on weekdays'
  if (numbered === '0,6' || numbered === '6,0' || numbered === '6,7') return 'on weekends'
  const nth = /^([0-7])#([1-5L])$/.exec(numbered)
  if (nth)
    return `on the ${nth[2] === 'L' ? 'last' : places[Number(nth[2])]} ${names[Number(nth[1])]} of the month`
  const range = /^([0-7])-([0-7])$/.exec(numbered)
  if (range) return `${names[Number(range[1])]} to ${names[Number(range[2])]}`
  if (!/^[0-7](,[0-7])*$/.test(numbered)) return null
  return `on ${numbered
    .split(',')
    .map((each) => `${names[Number(each)]}s`)
    .join(' and ')}`
}

const units: [number, string, string][] = [
  [604_800, 'week', 'weeks'],
  [86_400, 'day', 'days'],
  [3_600, 'hour', 'hours'],
  [60, 'minute', 'minutes'],
  [1, 'second', 'seconds'],
]

function interval(seconds: number): string {
  const [size, one, many] = units.find(([each]) => seconds % each === 0) ?? [1, 'second', 'seconds']
  const count = seconds / size
  return count === 1 ? `Every ${one}` : `Every ${counted(count, one, many)}`
}

/** A time without an offset is on the wall clock of the schedule's own zone, so it is shown as it stands. */
function moment(datetime: string, timeZone: string | undefined): string {
  const absolute = /(?:Z|[+-]\d\d:?\d\d)$/i.test(datetime)
  const date = new Date(absolute ? datetime : `${datetime}Z`)
  return new Intl.DateTimeFormat(locale(), {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: absolute ? timeZone : 'UTC',
  }).format(date)
}
