import { findAgent } from '../agents/store.ts'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import type { Subset } from '../settings/merge.ts'
import { changeSection } from '../settings/section.ts'
import { type DispatcherSettings, dispatcherSettings } from './schema.ts'

/** Changes the settings. A setting that names an agent that cannot answer would silently never apply. */
export async function changeDispatcherSettings(
  context: Context,
  change: Subset<DispatcherSettings>,
): Promise<DispatcherSettings> {
  if (change.default_agent_id) await requireEnabledAgent(context, change.default_agent_id, 'default_agent_id')
  for (const [index, { target }] of (change.rules ?? []).entries())
    if (target?.startsWith('agent_')) await requireEnabledAgent(context, target, `rules.${index}.target`)
  return changeSection(context, dispatcherSettings, change)
}

/** A 422 that names the field. */
export async function requireEnabledAgent(context: Context, id: string, field: string): Promise<void> {
  const agent = await findAgent(context, id)
  if (!agent) throw invalidField(field, 'is not the id of an agent')
  if (!agent.enabled) throw invalidField(field, `${agent.name} is disabled`)
}
