import type {
  EpisodeDetail,
  Related,
  SearchMode,
  SearchResponse,
  SearchResult,
} from '../../../runtime/memory/schema.ts'
import { labelOf } from '../../parts/text.ts'

const sources: Record<string, string> = {
  manual: 'Added by hand',
  conversation: 'From a conversation',
  task: 'From a task',
  import: 'Imported',
}

/** What created a memory. */
export const sourceLabel = (source: string) => sources[source] ?? labelOf(source)

export const trustLabels: Record<EpisodeDetail['trust'], { label: string; hint: string }> = {
  owner: { label: 'You', hint: 'You said or wrote it' },
  agent: { label: 'Agent', hint: 'An agent wrote it' },
  external: {
    label: 'External',
    hint: 'From a web page, a channel or another person. Agents do not follow instructions in it',
  },
}

export const modes: Record<SearchMode, { label: string; hint: string }> = {
  hybrid: { label: 'Both', hint: 'Memories with these words or a similar meaning' },
  keyword: { label: 'Words', hint: 'Only memories with these words' },
  semantic: { label: 'Meaning', hint: 'Memories with a similar meaning, in any words' },
}

export const matchLabels: Record<SearchResult['source'], string> = {
  keyword: 'by words',
  semantic: 'by meaning',
  both: 'by words and meaning',
}

export const degradedTexts: Record<NonNullable<SearchResponse['degraded']>, string> = {
  embeddings_unavailable: 'Only words were searched. To search by meaning, set up embeddings.',
  embeddings_loading:
    'Only words were searched, because the embedding model is still loading. The search runs again in a moment.',
  embeddings_incomplete: 'Some memories have no embedding yet, so they were searched by words only.',
}

export const reasonLabels: Record<Related['related'][number]['reason'], string> = {
  semantic: 'Similar meaning',
  entity: 'Same mentions',
  topic: 'Same topic',
  temporal: 'Same time',
}

export const percent = (share: number) => `${Math.round(share * 100)}\u00a0%`

/** The valence of a memory, between -1 and 1. */
export function moodLabel(valence: number): string {
  if (valence <= -0.6) return 'Negative'
  if (valence < -0.15) return 'Slightly negative'
  if (valence <= 0.15) return 'Neutral'
  return valence < 0.6 ? 'Slightly positive' : 'Positive'
}
