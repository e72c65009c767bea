import { namedEnabledAgent } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import type { Subset } from '../settings/merge.ts'
import { changeSection } from '../settings/section.ts'
import { type DispatcherSettings, dispatcherSettings } from './schema.ts'

/** Changes the settings. A setting that names an agent that cannot answer would silently never apply. */
export async function changeDispatcherSettings(
  context: Context,
  change: Subset<DispatcherSettings>,
): Promise<DispatcherSettings> {
  if (change.default_agent_id) await namedEnabledAgent(context, change.default_agent_id, 'default_agent_id')
  for (const [index, { target }] of (change.rules ?? []).entries())
    if (target?.startsWith('agent_')) await namedEnabledAgent(context, target, `rules.${index}.target`)
  return changeSection(context, dispatcherSettings, change)
}
