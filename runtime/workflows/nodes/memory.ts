import { z } from 'zod'
import { addEpisode } from '../../memory/episodes.ts'
import { NewEpisode } from '../../memory/schema.ts'
import { searchEpisodes } from '../../memory/search/search.ts'
import { NodeError, nodeType } from '../node-type.ts'

export const memory = nodeType({
  type: 'memory',
  title: 'Memory',
  description:
    'Searches memory, or remembers a text. The output of a search is {results}; that of saving is {id}.',
  category: 'action',
  params: z.object({
    action: z.enum(['search', 'save']).default('search'),
    text: z.string().trim().min(1).max(10_000).meta({ description: 'What to look for, or what to remember' }),
    limit: z.number().int().min(1).max(50).default(5),
    topics: z.array(z.string().max(100)).max(20).default([]),
  }),
  risk: 'low',
  side_effects: true,
  effect: ({ action }) => action === 'save',
  async run({ action, text, limit, topics }, { context }) {
    if (action === 'save') {
      const note = NewEpisode.safeParse({ content: text, topics })
      if (!note.success)
        throw new NodeError('invalid_params', 'The text cannot be remembered', { permanent: true })
      const origin = { source: 'workflow', trust: 'external' as const }
      const { id } = await addEpisode(context, { ...note.data, ...origin })
      return { output: { id } }
    }
    const { results } = await searchEpisodes(context, {
      q: text,
      mode: 'hybrid',
      filter: {},
      limit,
      offset: 0,
    })
    return {
      output: {
        results: results.map(({ episode, score }) => ({
          id: episode.id,
          content: episode.content,
          score,
          created_at: episode.created_at,
        })),
      },
    }
  },
})
