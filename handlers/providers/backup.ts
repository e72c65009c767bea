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
  summary: 'Get the backup rules and thresholds, with the defaults',
  access: 'admin',
  returns: BackupView,
  async run(_, context) {
    return { ...(await readBackup(context)), defaults: backupDefaults }
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/providers/backup',
  summary: 'Change backup rules and thresholds; rules are merged by provider',
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
  owner: 'house',
  summary: 'How much of its limits each provider has used',
  returns: z.object({ providers: z.array(ProviderUsage) }),
  async run(_, context) {
    return { providers: await showUsage(context) }
  },
})

export const giveBack = endpoint({
  method: 'POST',
  path: '/api/providers/backup/{id}/return',
  summary: 'Return a provider that has failed over to primary',
  access: 'admin',
  idempotent: false,
  returns: ProviderUsage,
  async run({ params }, context) {
    return returnProvider(context, requireProviderId(params.id))
  },
})
