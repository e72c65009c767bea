import { endpoint } from '../../runtime/http/endpoint.ts'
import { applyRetention, readStorage, Storage } from '../../runtime/settings/retention.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/storage',
  summary: 'Show what takes how much space, by kind, and the budget',
  access: 'admin',
  returns: Storage,
  run: (_, context) => readStorage(context),
})

export const prune = endpoint({
  method: 'POST',
  path: '/api/settings/storage/prune',
  summary: 'Delete what the retention settings no longer keep, now instead of once a day',
  access: 'admin',
  idempotent: false,
  returns: Storage,
  run: (_, context) => applyRetention(context),
})
