import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  backupDefaults,
  changeBackup,
  readBackup,
  returnProvider,
  showUsage,
} from '../../runtime/providers/limits.ts'
import { requireProviderId } from '../../runtime/providers/providers.ts'
import { BackupChange, BackupView, ProviderUsage } from '../../runtime/providers/schema.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/providers/backup',
  summary: 'Backup rules and thresholds, with the shipped defaults',
  access: 'admin',
  returns: BackupView,
  async run(_, context) {
    return { ...(await readBackup(context)), defaults: backupDefaults }
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/providers/backup',
  summary: 'Change backup rules and thresholds, the rules by provider',
  access: 'admin',
  body: BackupChange,
  returns: BackupView,
  async run({ body }, context) {
    return { ...(await changeBackup(context, body)), defaults: backupDefaults }
  },
})

export const usage = endpoint({
  method: 'GET',
  path: '/api/providers/usage',
  summary: 'How much of its limits each provider has used',
  returns: z.object({ providers: z.array(ProviderUsage) }),
  async run(_, context) {
    return { providers: await showUsage(context) }
  },
})

export const giveBack = endpoint({
  method: 'POST',
  path: '/api/providers/backup/{id}/return',
  summary: 'Move a provider that has failed over back to primary',
  access: 'admin',
  idempotent: false,
  returns: ProviderUsage,
  async run({ params }, context) {
    return returnProvider(context, requireProviderId(params.id))
  },
})
