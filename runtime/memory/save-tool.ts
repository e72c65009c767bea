import { z } from 'zod'
import { clipped } from '../tools/text.ts'
import { ToolError, tool } from '../tools/tool.ts'
import { authorOf, saveNote } from './capture/notes.ts'
import { importanceOf, topicsOf } from './capture/rules.ts'
import { contentLimit, NewEpisode } from './schema.ts'

export const memorySave = tool({
  name: 'memory_save',
  description:
    'Keeps one fact beyond this conversation: what the person asks you to remember, their preferences, decisions, ' +
    'names and dates. One fact per call, as a full sentence that makes sense on its own. Never passwords or keys.',
  input: z.object({
    content: z.string().min(1).max(contentLimit),
    topics: NewEpisode.shape.topics.unwrap().optional().describe('A few words to find it by'),
    importance: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('0 trivial, 0.5 usual, 1 must never be forgotten'),
  }),
  effect: () => 'own',
  summary: ({ content }) => `Remember: ${clipped(content, 120)}`,
  async run({ content, topics, importance }, { context, agent, conversation_id, message_id, tainted }) {
    if (content.trim() === '') throw new ToolError('content is empty; say what to remember')
    const { trust, said } = await authorOf(context, { content, conversation_id, message_id, tainted })
    const { id, redacted } = await saveNote(context, {
      ...NewEpisode.parse({
        content,
        topics: topics ?? topicsOf(content, ''),
        importance: importance ?? (said === undefined ? undefined : importanceOf(said)),
        agent_id: agent.id,
      }),
      source: 'conversation',
      trust,
      provenance: { conversation_id, message_id, channel: null, url: null },
    })
    return redacted ? { id, note: 'The secret in it was not stored' } : { id }
  },
})
