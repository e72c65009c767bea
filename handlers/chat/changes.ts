import { z } from 'zod'
import { listAnswersWithChanges, showAnswerChanges, undoAnswer } from '../../runtime/chat/changes.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { KeptChange } from '../../runtime/tools/file-changes.ts'

export const listChanged = endpoint('GET /api/chat/conversations/{id}/changes', {
  summary: 'List the answers that have changed files, oldest first',
  returns: z.object({
    answers: z.array(
      z.object({
        message_id: z.string(),
        files: z.int(),
        undone: z.boolean().meta({ description: 'Whether all of its changes are undone' }),
      }),
    ),
    count: z.int(),
  }),
  async run({ params }, context) {
    const answers = await listAnswersWithChanges(context, params.id)
    return { answers, count: answers.length }
  },
})

export const changes = endpoint('GET /api/chat/conversations/{id}/messages/{message_id}/changes', {
  summary: 'List what an answer and its helpers have changed in files',
  returns: z.object({ changes: z.array(KeptChange), count: z.int() }),
  async run({ params }, context) {
    const changes = await showAnswerChanges(context, params.id, params.message_id)
    return { changes, count: changes.length }
  },
})

export const undo = endpoint('POST /api/chat/conversations/{id}/messages/{message_id}/undo', {
  summary: 'Undo what an answer has changed in files; what others have changed since stays',
  returns: z.object({ changes: z.array(KeptChange), paths: z.array(z.string()) }),
  run: ({ params }, context) => undoAnswer(context, params.id, params.message_id),
})
