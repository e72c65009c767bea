import { z } from 'zod'
import { cancelCheckIn, cancelCheckIns } from '../../runtime/chat/check-in-delivery.ts'
import { openCheckIns, publicCheckIn } from '../../runtime/chat/check-in-store.ts'
import { requireOwnConversation } from '../../runtime/chat/conversations.ts'
import { CheckIn } from '../../runtime/chat/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

const one = z.object({ id: z.string(), check_in_id: z.string() })

export const list = endpoint('GET /api/chat/conversations/{id}/check-ins', {
  summary: 'List open check-ins, soonest first',
  returns: z.object({ check_ins: z.array(CheckIn) }),
  async run({ params }, context) {
    await requireOwnConversation(context, params.id)
    const open = await openCheckIns(context, params.id)
    return { check_ins: open.map(publicCheckIn) }
  },
})

export const cancelAll = endpoint('DELETE /api/chat/conversations/{id}/check-ins', {
  summary: 'Cancel every open check-in',
  returns: z.object({ cancelled: z.int() }),
  run: async ({ params }, context) => ({ cancelled: await cancelCheckIns(context, params.id) }),
})

export const cancel = endpoint('DELETE /api/chat/conversations/{id}/check-ins/{check_in_id}', {
  summary: 'Cancel one open check-in',
  params: one,
  returns: z.object({ cancelled: CheckIn }),
  run: async ({ params }, context) => ({ cancelled: await cancelCheckIn(context, params.id, params.check_in_id) }),
})
