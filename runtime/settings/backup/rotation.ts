import type { BackupFile } from '../../ports/backups.ts'
import { day } from '../../time.ts'

export interface Keep {
  keep_daily: number
  keep_weekly: number
}

/** Days since 1970 in a time zone that is `offset` milliseconds ahead of UTC. */
const dayOf = ({ created_at }: Pick<BackupFile, 'created_at'>, offset: number) =>
  Math.floor((Date.parse(created_at) + offset) / day)

/** Weeks start on Monday; 1 January 1970 was a Thursday. */
const weekOf = (days: number) => Math.floor((days + 3) / 7)

/**
 * The scheduled backups to delete. Keeps the newest of each of the last `keep_daily` days with a backup and, before
 * those, the newest of each of the last `keep_weekly` weeks. Other backups are never deleted. Pure.
 */
export function expiredBackups<File extends Pick<BackupFile, 'created_at' | 'reason'>>(
  backups: readonly File[],
  { keep_daily, keep_weekly }: Keep,
  offset = 0,
): File[] {
  const newestFirst = backups
    .filter(({ reason }) => reason === 'scheduled')
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  const days = new Set<number>()
  const weeks = new Set<number>()
  return newestFirst.filter((backup) => {
    const today = dayOf(backup, offset)
    if (days.has(today)) return true
    if (days.size < keep_daily) {
      days.add(today)
      return false
    }
    const week = weekOf(today)
    if (weeks.has(week) || weeks.size >= keep_weekly) return true
    weeks.add(week)
    return false
  })
}
