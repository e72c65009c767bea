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

/** The table of all endpoints as one of them; it is asked for when called, because this one is part of it. */
export const apiIndex = (tables: () => Promise<RouteTables>) =>
  endpoint({
    method: 'GET',
    path: '/api/',
    summary: 'Index of the API',
    access: 'monitor',
    returns: ApiIndex,
    async run(_, { config }) {
      const { endpoints } = await tables()
      const table = endpoints.map(({ method, path, summary }) => ({ method, path, summary }))
      const links = { documentation: '/api/docs', openapi: '/api/openapi.json' }
      return { name: 'hearthd', version: config.version, ...links, endpoints: table }
    },
  })
