import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Feedback } from '../../runtime/memory/care/schema.ts'
import { giveFeedback } from '../../runtime/memory/recall/feedback.ts'

export const feedback = endpoint({
  method: 'POST',
  path: '/api/memory/episodes/{id}/feedback',
  summary: 'Say whether an episode was of use',
  body: z.object({ used: z.boolean() }),
  returns: Feedback,
  async run({ params, body }, context) {
    return giveFeedback(context, params.id, body.used)
  },
})
