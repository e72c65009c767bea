import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { relatedTo } from '../../runtime/memory/care/related.ts'
import { Related } from '../../runtime/memory/care/schema.ts'

export const related = endpoint({
  method: 'GET',
  path: '/api/memory/episodes/{id}/related',
  summary: 'Episodes that belong to one, and why',
  query: z.object({ limit: z.coerce.number().int().min(1).max(50).default(10) }),
  returns: Related,
  async run({ params, query }, context) {
    return relatedTo(context, params.id, query.limit)
  },
})
