import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import type { RouteTables } from '../../runtime/http/openapi.ts'

const ApiIndex = z.object({
  name: z.literal('hearthd'),
  version: z.string(),
  documentation: z.string(),
  openapi: z.string(),
  endpoints: z.array(z.object({ method: z.string(), path: z.string(), summary: z.string() })),
})

/** The endpoint that lists all endpoints. The list is loaded on call, because it includes this endpoint. */
export const apiIndex = (tables: () => Promise<RouteTables>) =>
  endpoint('GET /api/', {
    summary: 'List all endpoints',
    access: 'monitor',
    returns: ApiIndex,
    async run(_, { config }) {
      const { endpoints } = await tables()
      const table = endpoints.map(({ method, path, summary }) => ({ method, path, summary }))
      const links = { documentation: '/api/docs', openapi: '/api/openapi.json' }
      return { name: 'hearthd', version: config.version, ...links, endpoints: table }
    },
  })
