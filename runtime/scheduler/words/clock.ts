import { day } from '../../time.ts'
import { offsetAt } from '../zone.ts'

export const secondsOfDay = 86_400

/** Wall-clock milliseconds: what the clock of `zone` shows at `at`, as if it were UTC. */
export const wallOf = (zone: string, at: number): number => at + offsetAt(zone, at)

/** Midnight of the wall-clock day of `wall`. */
export const dayOf = (wall: number): number => Math.floor(wall / day) * day

/** `2026-01-06T09:00`, with seconds only where there are some. */
export function localText(wall: number): string {
  const text = new Date(wall).toISOString()
  return text.slice(17, 19) === '00' ? text.slice(0, 16) : text.slice(0, 19)
}

const two = (value: number) => String(value).padStart(2, '0')

/** Seconds after midnight as `09:00`, or `09:00:30`. */
export function clockText(seconds: number): string {
  const minutes = `${two(Math.floor(seconds / 3_600) % 24)}:${two(Math.floor(seconds / 60) % 60)}`
  return seconds % 60 === 0 ? minutes : `${minutes}:${two(seconds % 60)}`
}
