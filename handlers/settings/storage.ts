import { endpoint } from '../../runtime/http/endpoint.ts'
import { applyRetention, readStorage, Storage } from '../../runtime/settings/retention.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/storage',
  summary: 'Get storage use by kind of data, and the budget',
  access: 'admin',
  returns: Storage,
  run: (_, context) => readStorage(context),
})

export const prune = endpoint({
  method: 'POST',
  path: '/api/settings/storage/prune',
  summary: 'Apply the retention settings now instead of once a day',
  access: 'admin',
  idempotent: false,
  returns: Storage,
  run: (_, context) => applyRetention(context),
})
