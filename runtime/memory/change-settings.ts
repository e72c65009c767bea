import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { listProviderRecords } from '../providers/store.ts'
import { readCron } from '../schedules/cron.ts'
import { changeSection } from '../sections/section.ts'
import { type MemoryChange, type MemorySettings, memorySettings } from './settings.ts'

/** Changes the memory settings. An invalid schedule and a provider without a key are refused. */
export async function changeMemorySettings(context: Context, change: MemoryChange): Promise<MemorySettings> {
  requireCron(change.consolidation?.cron)
  await requireKey(context, change.embedding?.provider)
  const settings = await changeSection(context, memorySettings, change)
  context.process.wake()
  return settings
}

function requireCron(cron: string | undefined): void {
  if (cron === undefined) return
  try {
    readCron(cron)
  } catch (thrown) {
    throw invalidField(
      'consolidation.cron',
      `must be a cron expression such as 0 4 * * *: it ${(thrown as Error).message}`,
    )
  }
}

async function requireKey(
  context: Context,
  provider: MemorySettings['embedding']['provider'] | undefined,
): Promise<void> {
  if (provider === undefined || provider === 'local' || provider === 'none') return
  const records = await listProviderRecords(context)
  if (records.some(({ id }) => id === provider)) return
  throw invalidField('embedding.provider', `${provider} has no key; add one in Settings → Model providers`)
}
