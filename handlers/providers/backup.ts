import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { backupDefaults, changeBackup, readBackup, returnProvider, showUsage } from '../../runtime/providers/limits.ts'
import { requireProviderId } from '../../runtime/providers/providers.ts'
import { BackupChange, BackupView, ProviderUsage } from '../../runtime/providers/schema.ts'

export const show = endpoint('GET /api/providers/backup', {
  summary: 'Get the backup rules and thresholds, with the defaults',
  access: 'admin',
  returns: BackupView,
  run: async (_, context) => ({ ...(await readBackup(context)), defaults: backupDefaults }),
})

export const update = endpoint('PUT /api/providers/backup', {
  summary: 'Change backup rules and thresholds; rules are merged by provider',
  access: 'admin',
  body: BackupChange,
  returns: BackupView,
  run: async ({ body }, context) => ({ ...(await changeBackup(context, body)), defaults: backupDefaults }),
})

export const usage = endpoint('GET /api/providers/usage', {
  owner: 'shared',
  summary: 'Get how much of its limits each provider has used',
  returns: z.object({ providers: z.array(ProviderUsage) }),
  run: async (_, context) => ({ providers: await showUsage(context) }),
})

export const giveBack = endpoint('POST /api/providers/backup/{id}/return', {
  summary: 'Make a provider that has failed over primary again',
  access: 'admin',
  idempotent: false,
  returns: ProviderUsage,
  run: ({ params }, context) => returnProvider(context, requireProviderId(params.id)),
})
