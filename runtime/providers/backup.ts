import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { checkBody } from '../http/validate.ts'
import { GuardFailed } from '../ports/sql.ts'
import { saveSettings, storedSettings } from '../settings/store.ts'
import { iso } from '../time.ts'
import { type BackupChange, BackupSettings } from './backup-schema.ts'

const section = 'provider_backup'

export const backupDefaults: BackupSettings = {
  rules: {},
  five_hour_threshold_pct: 90,
  seven_day_threshold_pct: 95,
  return_below_pct: 70,
  auto_return: true,
  both_out: 'pause',
}

/** The rules in force. */
export async function readBackup(host: Pick<Host, 'sql'>): Promise<BackupSettings> {
  return whole(await storedSettings(host as Host, section))
}

const whole = (stored: string | null): BackupSettings =>
  checkBody(BackupSettings, { ...backupDefaults, ...JSON.parse(stored ?? '{}') }) as BackupSettings

const tries = 5

/** Merges a change, the rules by provider; a provider whose rule is null has no backup any more. */
export async function changeBackup(context: Context, change: BackupChange): Promise<BackupSettings> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await storedSettings(context, section)
    const after = JSON.stringify(merge(JSON.parse(before ?? '{}'), change))
    const settings = whole(after)
    try {
      await store(context, { before, after, now: iso(context.clock.now()) })
      return settings
    } catch (thrown) {
      if (!(thrown instanceof GuardFailed) || attempt === tries) throw thrown
    }
  }
}

function merge(old: Partial<BackupSettings>, { rules, ...change }: BackupChange): Partial<BackupSettings> {
  if (!rules) return { ...old, ...change }
  const merged = Object.entries({ ...old.rules, ...rules }).filter(([, rule]) => rule !== null)
  return { ...old, ...change, rules: Object.fromEntries(merged) as BackupSettings['rules'] }
}

const store = (context: Context, value: { before: string | null; after: string; now: string }) =>
  context.commit(
    [
      saveSettings(section, value, 'The backup rules are being changed by another request'),
      auditStatement(context, { action: 'settings.updated', target: section }),
    ],
    [{ type: 'settings.updated', data: { section } }],
  )
