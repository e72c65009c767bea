import { isSameJson } from '../values.ts'
import type { Definition, ImportReport, Issue } from './schema.ts'

/** What an import could not translate exactly. */
export type ImportNote = ImportReport['issues'][number]

type Drawn = Pick<Definition, 'nodes' | 'edges' | 'settings'>

/** The notes of what has not been mended: the node is there, and neither it nor what the note is about has changed. */
export function openNotes(notes: readonly ImportNote[], before: Drawn, after: Drawn): ImportNote[] {
  return notes.filter((note) => isSameJson(subjectOf(note, before), subjectOf(note, after)))
}

function subjectOf({ node_id, field }: ImportNote, { nodes, edges, settings }: Drawn): unknown {
  if (node_id === null) return settings
  const node = nodes.find(({ id }) => id === node_id)
  if (!node || !field.startsWith('connections')) return node && [node.type, node.params, node.disabled]
  return edges.filter(({ source }) => source === node_id).map(({ source_output, target }) => [source_output, target])
}

/** The notes as warnings of the workflow. */
export const noteIssues = (notes: readonly ImportNote[], { nodes }: Pick<Drawn, 'nodes'>): Issue[] =>
  notes.map(({ node_id, field, message, original }) => {
    const name = nodes.find(({ id }) => id === node_id)?.name
    return {
      ...{ node_id, severity: 'warning' },
      path: `${node_id === null ? 'workflow' : `nodes.${node_id}`}.import.${field}`,
      place: [name ?? 'Workflow', ...(field ? [field] : [])].join(' → '),
      message: `${message}${original && `: ${original}`}`,
    }
  })
