import { Tooltip } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useProfile } from '../api/settings.ts'
import { locale } from './locale.ts'

const minute = 60_000
const ticks = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

/** One timer for every relative time on the page. */
function everyMinute(listener: () => void): () => void {
  ticks.add(listener)
  ticking ??= setInterval(() => {
    for (const tick of ticks) tick()
  }, minute)
  return () => {
    ticks.delete(listener)
    if (ticks.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/** The profile's zone; the browser's until it is known. */
export function useZone(): string {
  const profile = useProfile().data
  return profile?.timezone || Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** How long ago, or how soon; the exact time in the profile's zone on hover and for screen readers. */
export function Time({ at }: { at: string }) {
  const zone = useZone()
  const text = useSyncExternalStore(everyMinute, () => relative(at, zone))
  return (
    <Tooltip label={exact(at, zone)}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  )
}

interface WhenProps {
  label: string
  at: string | null | undefined
  /** Default: nothing. */
  otherwise?: string
}

/** ` · expires in 3 days`, for a line of details; nothing if the time is unknown. */
export function When({ label, at, otherwise = '' }: WhenProps) {
  if (!at) return otherwise
  return (
    <>
      {' '}
      · {label} <Time at={at} />
    </>
  )
}

export function exact(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'medium', timeZone }).format(new Date(at))
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 24 * 60 * minute],
  ['month', 30 * 24 * 60 * minute],
  ['day', 24 * 60 * minute],
  ['hour', 60 * minute],
  ['minute', minute],
]

function relative(at: string, zone: string): string {
  const milliseconds = Date.parse(at) - Date.now()
  const [unit, size] = units.find(([, candidate]) => Math.abs(milliseconds) >= candidate) ?? ['minute', minute]
  if (Math.abs(milliseconds) < minute) return milliseconds > 0 ? 'in a moment' : 'just now'
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' }).format(
    unit === 'day' ? daysUntil(at, zone) : Math.trunc(milliseconds / size),
    unit,
  )
}

/** The number of midnights between now and then, so that "tomorrow" is never the day after tomorrow. */
function daysUntil(at: string, timeZone: string): number {
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone })
  const midnight = (moment: Date) => Date.parse(`${day.format(moment)}T00:00Z`)
  return Math.round((midnight(new Date(at)) - midnight(new Date())) / (24 * 60 * minute))
}
