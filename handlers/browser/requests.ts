import { z } from 'zod'
import { NetworkRequest } from '../../runtime/browser/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const requests = endpoint({
  method: 'GET',
  path: '/api/browser/requests',
  summary: 'What pages asked the network for lately, the oldest first; secrets in addresses are blanked',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(1_000).default(200),
    url: z.string().max(2_000).optional().meta({ description: 'Only addresses that contain this' }),
    resource_type: z.string().max(50).optional(),
  }),
  returns: z.object({ requests: z.array(NetworkRequest), total: z.number().int() }),
  run({ query }, context) {
    const { url = '', resource_type, limit } = query
    const all = context.browser
      .requests()
      .filter((one) => one.url.includes(url) && (resource_type ?? one.resource_type) === one.resource_type)
    return { requests: all.slice(-limit), total: all.length }
  },
})
