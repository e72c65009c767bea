import type { Context } from '../context.ts'
import { requirePack, requireSupported, unsupportedReason } from './pack-state.ts'
import type { PackDefinition } from './packs.ts'
import type { InstallPlan } from './schema.ts'

/** What installing a pack would do: the package manager's own dry run. */
export async function planPack(context: Context, pack_id: string): Promise<InstallPlan> {
  const pack = requirePack(pack_id)
  if (context.packages.unsupported) requireSupported(context, pack)
  const reason = unsupportedReason(context, pack)
  if (reason) return { pack_id, ...blocked(pack, reason) }
  return { pack_id, ...(await context.packages.plan(pack.packages, context.signal)) }
}

const blocked = ({ elsewhere }: PackDefinition, blocked_reason: string) => ({
  packages: [],
  downloads: [],
  total_bytes: null,
  skipped: [],
  command: elsewhere ?? '',
  blocked_reason,
  manual_command: elsewhere ?? null,
})
