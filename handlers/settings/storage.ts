import { endpoint } from '../../runtime/http/endpoint.ts'
import { startCleanup } from '../../runtime/settings/cleanup-queue.ts'
import { readStorage, Storage } from '../../runtime/settings/retention.ts'

export const show = endpoint('GET /api/settings/storage', {
  summary: 'Get storage use by kind of data, and the budget',
  access: 'admin',
  returns: Storage,
  run: (_, context) => readStorage(context),
})

export const prune = endpoint('POST /api/settings/storage/prune', {
  summary: 'Apply the retention settings now, in the background, instead of once a day',
  access: 'admin',
  idempotent: false,
  returns: Storage,
  async run(_, context) {
    await startCleanup(context)
    return readStorage(context)
  },
})
