import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { readSection } from '../sections/section.ts'
import { hour } from '../time.ts'
import type { WorkKind } from '../work/kind.ts'
import { enqueueOnce } from '../work/select.ts'
import { dayAfter, dayLabel, startOfDay, zoneReader } from '../zones/wall-clock.ts'
import { countPermitted } from './approval-store.ts'
import { permissions, summaryOf } from './permissions.ts'
import { proactiveSettings } from './proactive.ts'
import { permissionDigestKind } from './schema.ts'

/** Queues the digest of a day with the first use of a permission in it, for eight o'clock of the next day. */
export function queueDigest(context: Context, owner_id: string, zone: string) {
  const read = zoneReader(zone)
  const due = startOfDay(dayAfter(dayLabel(read(context.clock.now()))), read) + 8 * hour
  return enqueueOnce(context, { kind: permissionDigestKind, subject: owner_id, owner_id, due }, { per_subject: true })
}

/** Reports to an owner what ran under their permissions since the first use that queued it. */
export const permissionDigest: WorkKind = {
  kind: permissionDigestKind,
  max_running: 1,
  after_crash: 'retry',
  async run({ subject: owner_id, created_at }, context) {
    const { enabled } = await readSection(context, proactiveSettings)
    const counts = enabled ? await countPermitted(context, owner_id, created_at) : []
    if (counts.length === 0) return { status: 'succeeded' }
    const ids = counts.map(({ permission_id }) => permission_id)
    const stored = new Map((await permissions.table.list(context, 'id', { id: ids })).map((one) => [one.id, one]))
    const lines = counts.map(({ permission_id, tool, count }) => {
      const permission = stored.get(permission_id)
      return `- ${count} × ${permission ? summaryOf(permission) : `${tool} (permission deleted)`}`
    })
    const count = counts.reduce((sum, one) => sum + one.count, 0)
    const actions = count === 1 ? '1 action' : `${count} actions`
    const title = `${actions} ran under your permissions since yesterday`
    return { status: 'succeeded', events: [event('permission.digest', { title, text: lines.join('\n') }, owner_id)] }
  },
}
