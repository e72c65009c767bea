import { z } from 'zod'
import { notifiedBrowsers } from '../../runtime/devices/browsers.ts'
import { pushPublicKey } from '../../runtime/devices/push.ts'
import { endpointsOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const { list, create, show, update, remove } = endpointsOf(notifiedBrowsers)

export const pushKey = endpoint('GET /api/notifications/push-key', {
  owner: 'none',
  summary: 'Get the key with which a browser subscribes to Web Push; null on hosts without it',
  returns: z.object({ public_key: z.string().nullable() }),
  run: async (_, context) => ({ public_key: await pushPublicKey(context) }),
})
