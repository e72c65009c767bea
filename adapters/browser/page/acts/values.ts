/** How fields that take a value as a whole want it. */
export const valueForms =
  'Write dates as 2026-03-29, times as 14:30, months as 2026-03, weeks as 2026-W13, colours as #ff0000, numbers as 12.5'

const two = (part = ''): string => part.padStart(2, '0')

/** What people write and fields of HTML do not read: a date as it is shown in English, a time of twelve hours. */
export function asHtmlValue(type: string, text: string): string {
  if (type === 'color') return asColour(text)
  if (type === 'date') return asDate(text)
  if (type === 'time') return asTime(text)
  if (type !== 'datetime-local') return text
  const [, date = '', time = ''] = /^(\S+)[\sT,]+(.+)$/.exec(text) ?? []
  return date === '' ? text : `${asDate(date)}T${asTime(time)}`
}

function asDate(text: string): string {
  const shown = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)
  return shown ? `${shown[3]}-${two(shown[1])}-${two(shown[2])}` : text
}

function asTime(text: string): string {
  const [, hours, minutes, seconds, half] = /^(\d{1,2}):(\d{2})(:\d{2})?\s*([ap])\.?m\.?$/i.exec(text) ?? []
  if (hours === undefined) return text.replace(/^(\d):/, '0$1:')
  const hour = (Number(hours) % 12) + (half?.toLowerCase() === 'p' ? 12 : 0)
  return `${two(String(hour))}:${minutes}${seconds ?? ''}`
}

function asColour(text: string): string {
  const short = /^#?([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text)
  if (short)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`.toLowerCase()
  return /^[0-9a-f]{6}$/i.test(text) ? `#${text.toLowerCase()}` : text.toLowerCase()
}
