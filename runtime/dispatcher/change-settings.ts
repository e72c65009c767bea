import { namedEnabledAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import type { Subset } from '../sections/merge.ts'
import { changeSection, readSection } from '../sections/section.ts'
import { type DispatcherSettings, dispatcherSettings } from './schema.ts'

/** Changes the settings. A setting that names an agent that cannot answer would silently never apply. */
export async function changeDispatcherSettings(
  context: Context,
  change: Subset<DispatcherSettings>,
): Promise<DispatcherSettings> {
  const old = await readSection(context, dispatcherSettings)
  const kept = new Set([old.default_agent_id, ...old.rules.map(({ target }) => target)])
  const check = async (target: string | null | undefined, field: string) => {
    if (target?.startsWith('agent_') && !kept.has(target)) await namedEnabledAgent(context, target, field)
  }
  await check(change.default_agent_id, 'default_agent_id')
  for (const [index, { target }] of (change.rules ?? []).entries()) await check(target, `rules.${index}.target`)
  return changeSection(context, dispatcherSettings, change)
}
