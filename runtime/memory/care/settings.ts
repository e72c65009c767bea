import { Cron } from 'croner'
import type { Context } from '../../context.ts'
import { invalidField } from '../../fault.ts'
import { listProviderRecords } from '../../providers/store.ts'
import { changeSection } from '../../settings/section.ts'
import { type MemoryChange, type MemorySettings, memorySettings } from '../settings.ts'

/**
 * Changes the settings of memory. A schedule that is none and a vendor without a key are refused: both would only show
 * when nothing happens.
 */
export async function changeMemorySettings(context: Context, change: MemoryChange): Promise<MemorySettings> {
  requireCron(change.consolidation?.cron)
  await requireAccess(context, change.embedding?.provider)
  const settings = await changeSection(context, memorySettings, change)
  context.process.wake()
  return settings
}

/** croner takes a date for a schedule, too; only fields are one here. */
function requireCron(cron: string | undefined): void {
  if (cron === undefined) return
  const fields = cron.trim().split(/\s+/)
  try {
    if (!cron.startsWith('@') && (fields.length < 5 || fields.length > 6))
      throw new Error('it has five fields')
    new Cron(cron, { paused: true }).stop()
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw invalidField('consolidation.cron', `must be a cron expression such as 0 4 * * *: ${why}`)
  }
}

async function requireAccess(
  context: Context,
  provider: MemorySettings['embedding']['provider'] | undefined,
) {
  if (provider === undefined || provider === 'local' || provider === 'none') return
  const records = await listProviderRecords(context)
  if (records.some(({ id }) => id === provider)) return
  throw invalidField('embedding.provider', `${provider} has no key here; add one in Settings → Providers`)
}
