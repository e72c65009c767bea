import type { AuditEntry } from '../../../runtime/auth/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { settingsSections } from '../../app/settings-sections.ts'
import { labelOf } from '../../parts/text.ts'

/** Actions whose wire name does not read well. */
const actions: Record<string, string> = {
  'user.logged_in': 'Signed in',
  'user.logged_out': 'Signed out',
  'owner.viewed': "Viewed another user's data",
  'device.code_created': 'Pairing code created',
  'device.frame_refused': 'Device message refused',
  'feature.install': 'Feature installed',
  'settings.undone': 'Settings change undone',
  'skill.toggled': 'Skill turned on or off',
}

/** `backup.restore_requested` becomes `Backup restore requested`. */
export const actionLabel = (action: string): string =>
  actions[action] ?? labelOf(action.replaceAll('.', ' ').replace(/^key\b/, 'API key'))

export const outcomeLabels: Record<AuditEntry['outcome'], string> = {
  ok: 'OK',
  denied: 'Denied',
  failed: 'Failed',
}

/** Returns the name of a target; null if it is not known, or no longer. */
export function useTargetNames(): (entry: AuditEntry) => string | null {
  const named = [
    ...(useEndpoint('/api/auth/users').data?.users ?? []).map(({ id, username }) => [id, username] as const),
    ...(useEndpoint('/api/auth/keys').data?.keys ?? []).map(({ id, name }) => [id, name] as const),
    ...(useEndpoint('/api/devices').data?.devices ?? []).map(({ id, name }) => [id, name] as const),
    ...(useEndpoint('/api/channels').data?.channels ?? []).map(({ id, name }) => [id, name] as const),
    ...(useEndpoint('/api/monitoring/alerts').data?.alerts ?? []).map(({ id, name }) => [id, name] as const),
    ...settingsSections.map(({ id, label }) => [id, label] as const),
  ]
  const names = new Map<string, string>(named)
  return ({ action, target }) =>
    names.get(target) ??
    (action === 'backup.requested' && target === 'new' ? 'New backup' : null) ??
    (/^(settings|setup)\./.test(action) ? labelOf(target) : null)
}
