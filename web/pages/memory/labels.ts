import type { EntityType, Related, SearchMode } from '../../api/memory.ts'

const sources: Record<string, string> = {
  manual: 'Written by hand',
  conversation: 'From a conversation',
  task: 'From a task',
  insight: 'An insight',
  import: 'Imported',
}

/** What made an episode, in words; new kinds speak for themselves. */
export const sourceLabel = (source: string) =>
  sources[source] ?? source.charAt(0).toUpperCase() + source.slice(1).replaceAll('_', ' ')

export const trustLabels = { owner: 'Your word', agent: 'An agent’s word', external: 'A stranger’s word' }

export const modeLabels: Record<SearchMode, string> = {
  hybrid: 'Both',
  keyword: 'Words',
  semantic: 'Meaning',
}

export const modeHints: Record<SearchMode, string> = {
  hybrid: 'What has the words and what means the same',
  keyword: 'Only what has the words themselves',
  semantic: 'What means the same, in whatever words',
}

export const reasonLabels: Record<Related['related'][number]['reason'], string> = {
  semantic: 'Means much the same',
  entity: 'Speaks of the same',
  topic: 'On the same topic',
  temporal: 'From about the same time',
}

export const typeLabels: Record<EntityType, string> = {
  person: 'Person',
  organization: 'Organization',
  place: 'Place',
  product: 'Product',
  concept: 'Concept',
  event: 'Event',
  project: 'Project',
  file: 'File',
  url: 'Address',
  other: 'Other',
}

/** `works_at` as `works at`. */
export const factLabel = (type: string) => type.replaceAll('_', ' ')

export const percent = (part: number) => `${Math.round(part * 100)}\u00a0%`

export function moodLabel(valence: number): string {
  if (valence <= -0.6) return 'Bad'
  if (valence < -0.15) return 'Rather bad'
  if (valence <= 0.15) return 'Neutral'
  return valence < 0.6 ? 'Rather good' : 'Good'
}
