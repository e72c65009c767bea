import type { Host } from '../host.ts'
import type { Work } from './schema.ts'
import { unitsAbout } from './select.ts'

type Times = Pick<Work, 'started_at' | 'finished_at' | 'payload'>

/** Milliseconds that a unit has waited since its first start: for a vendor, a person, another attempt or a daemon. */
export function waitedIn({ finished_at, payload }: Omit<Times, 'started_at'>, now: number): number {
  const { waited_ms = 0, paused_at = null } = payload as { waited_ms?: number; paused_at?: number | null }
  const until = finished_at === null ? now : Date.parse(finished_at)
  return waited_ms + (paused_at === null ? 0 : Math.max(0, until - paused_at))
}

/**
 * Milliseconds in which some of these units ran. When each of them waited is not stored, so units that overlap count as
 * if they waited at the same time, for the same share of it. Pure.
 */
export function runningTime(units: readonly Times[], now: number): number {
  const spans = units.flatMap((unit) => {
    if (unit.started_at === null) return []
    const from = Date.parse(unit.started_at)
    const to = unit.finished_at === null ? now : Date.parse(unit.finished_at)
    return [{ from, to: Math.max(from, to), waited: waitedIn(unit, now) }]
  })
  const length = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  const waited = spans.reduce((sum, { from, to, waited }) => sum + Math.min(to - from, waited), 0)
  return length === 0 ? 0 : union(spans) * (1 - waited / length)
}

function union(spans: readonly { from: number; to: number }[]): number {
  let end = Number.NEGATIVE_INFINITY
  let sum = 0
  for (const { from, to } of [...spans].sort((left, right) => left.from - right.from)) {
    sum += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return sum
}

/** Like `runningTime`, for all units about these subjects and the units that they follow. */
export const runningTimeOf = async (host: Pick<Host, 'sql' | 'clock'>, subjects: readonly string[]): Promise<number> =>
  runningTime(await unitsAbout(host, subjects), host.clock.now())
