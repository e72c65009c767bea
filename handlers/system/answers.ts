import { z } from 'zod'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import type { Match } from '../../runtime/http/router.ts'

const maxAnswers = 20

const Query = z.object({
  of: z
    .string()
    .max(4_000)
    .transform((text) => text.split(' ').filter((address) => address.startsWith('/api/')))
    .pipe(z.array(z.string()).min(1, 'must name an address that begins with /api/').max(maxAnswers))
    .meta({ description: 'Addresses of GET endpoints that return JSON, separated by spaces' }),
})

/** Finds the endpoint of a GET request. */
export type Find = (url: string) => Promise<Match<Endpoint>>

/**
 * Several answers in one request, for the first load of a page. Each endpoint checks the caller's access itself; an
 * address that it refuses is left out, so that a request of its own gets the reason.
 */
export const answers = (find: Find) =>
  endpoint('GET /api/answers', {
    summary: 'Get the answers of several GET endpoints, by address',
    owner: 'none',
    query: Query,
    returns: z.record(z.string(), z.unknown()),
    async run({ query, request }, context) {
      const answered = query.of.map(async (address) => {
        const url = new URL(address, request.url).href
        const match = await find(url).catch(() => null)
        if (!match || match.route.path === '/api/answers' || !isJson(match.route)) return []
        const own = new Request(url, { headers: request.headers, signal: context.signal })
        const response = await match.route(own, context, match.params)
        return response.ok ? [[address, await response.json()]] : []
      })
      return Object.fromEntries((await Promise.all(answered)).flat())
    },
  })

const isJson = ({ returns }: Endpoint) => !('content' in returns) && !('events' in returns)
