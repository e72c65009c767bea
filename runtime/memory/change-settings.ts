import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { listProviderRecords } from '../providers/index.ts'
import { changeSection } from '../sections/section.ts'
import { type MemoryChange, type MemorySettings, memorySettings } from './settings.ts'

/** Changes the memory settings. A provider without a key is refused. */
export async function changeMemorySettings(context: Context, change: MemoryChange): Promise<MemorySettings> {
  await requireKey(context, change.embedding?.provider)
  const settings = await changeSection(context, memorySettings, change)
  context.process.wake()
  return settings
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
