import { z } from 'zod'
import { requireConversation } from '../../runtime/chat/conversations.ts'
import { attachToConversation, attachToMessage, followTurn } from '../../runtime/chat/live.ts'
import { regenerate as answerAgain } from '../../runtime/chat/messages.ts'
import { StreamEvents, StreamRequest } from '../../runtime/chat/schema.ts'
import { sendMessage } from '../../runtime/chat/send.ts'
import { stopTurns } from '../../runtime/chat/turns.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { stream } from '../../runtime/http/returns.ts'

const returns = stream(StreamEvents)

export const send = endpoint('POST /api/chat/messages/stream', {
  summary: 'Send a message and stream the answer',
  body: StreamRequest,
  returns,
  idempotent: false,
  async run({ body, once }, context) {
    const id = await once(body, async () => (await sendMessage(context, body)).id)
    const attachment = await attachToMessage(context, id)
    return (signal) => followTurn(context, attachment, signal)
  },
})

export const regenerate = endpoint('POST /api/chat/conversations/{id}/regenerate', {
  summary: 'Regenerate the answer to the latest message and stream it',
  returns,
  idempotent: false,
  async run({ params, once }, context) {
    const id = await once(null, async () => (await answerAgain(context, params.id)).id)
    const attachment = await attachToMessage(context, id)
    return (signal) => followTurn(context, attachment, signal)
  },
})

export const follow = endpoint('GET /api/chat/sessions/{id}/stream', {
  summary: 'Follow a conversation from Last-Event-ID; 204 if there is nothing to follow',
  returns,
  async run({ request, params }, context) {
    await requireConversation(context, params.id)
    const attachment = await attachToConversation(context, params.id, request.headers.get('last-event-id'))
    if (!attachment) return null
    return (signal) => followTurn(context, attachment, signal)
  },
})

export const stop = endpoint('POST /api/chat/conversations/{id}/stop', {
  summary: 'Stop the running answer and the queued ones',
  returns: z.object({ stopped: z.int() }),
  async run({ params }, context) {
    await requireConversation(context, params.id)
    return { stopped: await stopTurns(context, params.id) }
  },
})
