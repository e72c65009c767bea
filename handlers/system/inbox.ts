import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { inboxOf, Waiting } from '../../runtime/inbox.ts'

export const inbox = endpoint('GET /api/inbox', {
  summary: 'List all that waits for an answer of yours, the latest first',
  returns: z.object({ items: z.array(Waiting), total: z.int() }),
  async run(_, context) {
    const items = await inboxOf(context)
    return { items, total: items.length }
  },
})
